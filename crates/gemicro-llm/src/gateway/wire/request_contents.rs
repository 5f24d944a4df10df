//! What a request for text asks for, as far as its cost goes.

use super::WireDialect;
use crate::gateway::json::{Leaf, MalformedJson, walk};

/// Tokens that providers add around a request: framing, and their own words about tools.
const HIDDEN_TOKENS: u64 = 1_024;
/// Keys of a path that are looked at; longer paths are cut.
pub(super) const MAX_KEYS: usize = 8;

/// What a request asks for. All that is not plain text in the body is either counted in `hidden` or makes the
/// whole window count.
#[derive(Debug, Default)]
pub(in crate::gateway) struct RequestContents {
    /// The model that the body names.
    pub(in crate::gateway) model: Option<String>,
    /// The output limits that are stated, each with its field.
    pub(in crate::gateway) limits: Vec<(&'static [&'static str], u64)>,
    /// A limit is stated that is no count.
    pub(in crate::gateway) strange_limit: bool,
    /// Answers to write; 0 and 1 are one.
    pub(in crate::gateway) n_answers: u64,
    pub(in crate::gateway) streams: bool,
    /// Bytes of the body that are no text: they are counted in `hidden`.
    pub(in crate::gateway) media_bytes: u64,
    /// Some of these bytes are text after all.
    pub(in crate::gateway) media_is_text: bool,
    /// Tokens that the body does not show.
    pub(in crate::gateway) hidden: u64,
    /// It uses something whose tokens nobody here can bound: tools of the provider, files, stored context.
    pub(in crate::gateway) whole_window: bool,
    /// It may write to the provider's cache, which costs more than plain input.
    pub(in crate::gateway) writes_cache: bool,
    /// Tokens of thinking that it asks for, where they must stay below the limit.
    pub(in crate::gateway) thinking: Option<u64>,
    /// It asks for something that the price table has no price for.
    pub(in crate::gateway) unpriced: Option<&'static str>,
    /// It asks for something that is not served here.
    pub(in crate::gateway) unserved: Option<&'static str>,
    /// What makes the provider contact another server: an address to open, or a tool that the provider runs.
    pub(in crate::gateway) outside: Option<&'static str>,
    /// A stream will tell its usage without being asked to.
    pub(in crate::gateway) tells_usage: bool,
    body_bytes: u64,
}

/// Reads the body of a request.
pub(in crate::gateway) fn ask(
    dialect: &dyn WireDialect,
    body: &[u8],
) -> Result<RequestContents, MalformedJson> {
    let mut asked = RequestContents {
        hidden: HIDDEN_TOKENS,
        body_bytes: body.len() as u64,
        ..RequestContents::default()
    };
    walk(body, dialect.fold(), &mut |path, leaf| {
        let mut keys = [""; MAX_KEYS];
        for (key, part) in keys.iter_mut().zip(path) {
            *key = part;
        }
        let keys = &keys[..path.len().min(MAX_KEYS)];
        dialect.look(keys, leaf, &mut asked);
        if path.last().is_some_and(|key| names_address(key)) && !dialect.is_tool_data(keys) {
            asked.address(leaf);
        }
    })?;
    Ok(asked)
}

/// Whether a field with this name has addresses: `url`, `fileUri`, `image_url`, `uris`.
fn names_address(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["url", "uri", "urls", "uris"]
        .iter()
        .any(|end| key.ends_with(end))
}

impl RequestContents {
    /// The most tokens it can make a model with this window read. A byte is at least as much as a token of
    /// text; see `tokens` in `gemicro-core`.
    pub(in crate::gateway) fn input_bound(&self, window: u64) -> u64 {
        if self.whole_window {
            return window;
        }
        let media = if self.media_is_text { 0 } else { self.media_bytes };
        let text = self.body_bytes.saturating_sub(media);
        text.saturating_add(self.hidden).min(window)
    }

    /// The output limit it states.
    pub(in crate::gateway) fn limit(&self) -> Option<u64> {
        self.limits.iter().map(|&(_, limit)| limit).max()
    }

    /// Notes a stated output limit. Null and 0 state none.
    pub(super) fn state_limit(&mut self, field: &'static [&'static str], leaf: Leaf<'_>) {
        let count = match leaf {
            Leaf::Count(count) => Some(count),
            Leaf::Text(text) => text.parse().ok(),
            Leaf::Null => Some(0),
            Leaf::Number | Leaf::Bool(_) | Leaf::Object | Leaf::List => None,
        };
        match count {
            Some(0) => {}
            Some(count) => self.limits.push((field, count)),
            None => self.strange_limit = true,
        }
    }

    /// Notes how many answers it wants.
    pub(super) fn state_answers(&mut self, leaf: Leaf<'_>) {
        match leaf {
            Leaf::Count(count) => self.n_answers = self.n_answers.max(count),
            Leaf::Text(text) => match text.parse() {
                Ok(count) => self.n_answers = self.n_answers.max(count),
                Err(_) => self.strange_limit = true,
            },
            Leaf::Null => {}
            Leaf::Number | Leaf::Bool(_) | Leaf::Object | Leaf::List => self.strange_limit = true,
        }
    }

    pub(super) fn state_model(&mut self, leaf: Leaf<'_>) {
        if let Leaf::Text(model) = leaf {
            self.model = Some(model.to_owned());
        }
    }

    /// Notes a picture of at most this many tokens.
    pub(super) fn picture(&mut self, tokens: u64) {
        self.hidden = self.hidden.saturating_add(tokens);
    }

    /// Notes bytes that are a picture and no text.
    pub(super) fn media(&mut self, data: &str) {
        self.media_bytes = self.media_bytes.saturating_add(data.len() as u64);
    }

    /// Notes a medium by its type: pictures are bounded, text is text, of the rest nobody knows.
    pub(super) fn medium(&mut self, mime: &str, picture_tokens: u64) {
        if mime.starts_with("image/") {
            self.picture(picture_tokens);
        } else if mime.starts_with("text/") {
            self.media_is_text = true;
        } else {
            self.whole_window = true;
            if mime.starts_with("audio/") {
                self.unpriced = Some("sound");
            }
        }
    }

    /// Notes something of the provider's that is not in the body; null is nothing.
    pub(super) fn not_in_body(&mut self, leaf: Leaf<'_>) {
        if leaf != Leaf::Null {
            self.whole_window = true;
        }
    }

    /// Notes a tool that the provider runs: no one here knows what it reads, or which servers it contacts.
    pub(super) fn provider_tool(&mut self) {
        self.whole_window = true;
        self.outside = Some("a tool that the provider runs");
    }

    /// Notes an address that the provider would open. Data in the body is none.
    fn address(&mut self, leaf: Leaf<'_>) {
        if let Leaf::Text(text) = leaf
            && !text.is_empty()
            && !text.starts_with("data:")
        {
            self.outside = Some("an address that the provider opens");
        }
    }

    /// Notes the service tier: the table has the prices of the ordinary one.
    pub(super) fn tier(&mut self, leaf: Leaf<'_>) {
        let ordinary = match leaf {
            Leaf::Text(tier) => matches!(
                tier.to_ascii_lowercase().as_str(),
                "" | "auto" | "default" | "standard" | "standard_only" | "flex" | "batch"
            ),
            Leaf::Null => true,
            Leaf::Count(_) | Leaf::Number | Leaf::Bool(_) | Leaf::Object | Leaf::List => false,
        };
        if !ordinary {
            self.unpriced = Some("a service tier");
        }
    }
}
