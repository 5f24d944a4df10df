//! Turns a body into a document: [`FetchedPage`]. Uses the same decoding and parsers as for files.

use gemicro_core::corpus::Document;
use url::Url;

use super::charset;
use super::error::{FetchError, shown_text};
use crate::parse::{Format, ParseAs, parse_as};
use crate::read::decode_labelled;
use crate::snapshot::sha256_hex;

/// A web page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// The URL as it was requested.
    pub asked: String,
    /// The final URL after redirects, in normal form and without fragment.
    pub url: String,
    /// The page in stored form; its id is `url`.
    pub document: Document,
    /// SHA-256 of the stored text, in hex, as in the ledger of files.
    pub sha256: String,
    /// Length of the body as received, in bytes.
    pub n_bytes: u64,
    /// Media type that the server names, without parameters.
    pub content_type: String,
}

/// A supported media type.
pub(super) struct MediaType {
    /// `text/html`, in lower case.
    pub(super) essence: &'static str,
    /// The encoding it names.
    charset: Option<String>,
}

impl MediaType {
    /// Parses the value of a `Content-Type` header. The error describes an unsupported type.
    pub(super) fn parse(value: &str) -> Result<Self, String> {
        const READ: [&str; 6] = [
            "text/html",
            "application/xhtml+xml",
            "text/plain",
            "text/markdown",
            "text/x-markdown",
            "application/json",
        ];
        let mut parts = value.split(';');
        let given = parts.next().unwrap_or_default().trim();
        let Some(essence) = READ.into_iter().find(|known| given.eq_ignore_ascii_case(known)) else {
            return Err(match given {
                "" => "of unknown type".to_owned(),
                _ => shown_text(given),
            });
        };
        let charset = parts
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
            .map(|(_, label)| label.trim().trim_matches(['"', '\'']).to_owned());
        Ok(Self { essence, charset })
    }

    fn is_html(&self) -> bool {
        matches!(self.essence, "text/html" | "application/xhtml+xml")
    }

    /// Plain text is often Markdown or code; then the file name in the URL decides.
    fn format(&self, url: &Url, text: &str) -> Format {
        match self.essence {
            "text/html" | "application/xhtml+xml" => Format::Html,
            "text/markdown" | "text/x-markdown" => Format::Markdown,
            "application/json" => Format::of("page.json", text),
            _ => Format::of(url.path(), text),
        }
    }
}

/// A body as received.
pub(super) struct Body {
    pub(super) media_type: MediaType,
    pub(super) bytes: Vec<u8>,
}

impl Body {
    /// Decodes and parses the body; stops when the page is no longer wanted.
    pub(super) fn into_page(
        self,
        asked: String,
        url: &Url,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<FetchedPage, FetchError> {
        let Self { media_type, bytes } = self;
        let not_text = |what: &str| FetchError::NotText {
            url: shown_text(url.as_str()),
            content_type: format!("{what} sent as {}", media_type.essence),
        };
        if bytes.starts_with(b"%PDF-") {
            return Err(not_text("a PDF"));
        }
        let mut label = media_type.charset.clone();
        if label.is_none() && media_type.is_html() {
            label = charset::named_in(&bytes);
        }
        let text = decode_labelled(&bytes, label.as_deref()).map_err(|_| not_text("binary data"))?;
        let reading = ParseAs {
            doc: url.as_str(),
            name: &name_of(url),
            format: media_type.format(url, &text),
            is_wanted,
        };
        let document = parse_as(&reading, text);
        if document.blocks.is_empty() {
            return Err(FetchError::Empty {
                url: shown_text(url.as_str()),
            });
        }
        Ok(FetchedPage {
            asked,
            url: url.to_string(),
            sha256: sha256_hex(document.text.as_bytes()),
            n_bytes: bytes.len() as u64,
            content_type: media_type.essence.to_owned(),
            document,
        })
    }
}

/// The title of a page that has none: the last part of its path, or its host.
fn name_of(url: &Url) -> String {
    let parts = url.path_segments();
    let last = parts.and_then(|mut parts| parts.rfind(|part| !part.is_empty()));
    last.or(url.host_str()).unwrap_or_default().to_owned()
}
