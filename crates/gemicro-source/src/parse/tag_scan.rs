//! Finds tags and comments in raw HTML, with their positions: [`scan_tags`].
//!
//! For HTML inside Markdown, where the text is stored unchanged and offsets matter. Whole pages are read by the
//! tokenizer in `html`.

use std::ops::Range;

/// One token of raw HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HtmlToken<'a> {
    Text,
    /// A start tag with its attributes, names in lower case.
    Start {
        name: String,
        attributes: Vec<(String, &'a str)>,
    },
    End {
        name: String,
    },
    /// A comment, declaration or processing instruction; `closed` if its end was found.
    Comment {
        closed: bool,
    },
}

/// The tokens of `source`, in order and without gaps.
pub(super) fn scan_tags(source: &str) -> Vec<(Range<usize>, HtmlToken<'_>)> {
    let mut pieces = Vec::new();
    let mut text_start = 0;
    let mut at = 0;
    // After the last `>` only a comment can begin; searching for its end each time would be slow.
    let last_end = source.rfind('>').unwrap_or(0);
    while let Some(offset) = source[at..].find('<') {
        let start = at + offset;
        let may_be_tag = start < last_end || source[start..].starts_with("<!--");
        let found = if may_be_tag {
            tag_at(&source[start..])
        } else {
            None
        };
        let Some((len, piece)) = found else {
            at = start + 1;
            continue;
        };
        if text_start < start {
            pieces.push((text_start..start, HtmlToken::Text));
        }
        at = start + len;
        text_start = at;
        pieces.push((start..at, piece));
    }
    if text_start < source.len() {
        pieces.push((text_start..source.len(), HtmlToken::Text));
    }
    pieces
}

/// The tag at the start of `source` (which starts with `<`) and its length.
fn tag_at(source: &str) -> Option<(usize, HtmlToken<'_>)> {
    if let Some(body) = source.strip_prefix("<!--") {
        // `<!-->` and `<!--->` are complete comments.
        if let Some(mark) = ["-->", "->", ">"].iter().find(|mark| body.starts_with(**mark)) {
            return Some((4 + mark.len(), HtmlToken::Comment { closed: true }));
        }
        let end = body.find("-->").map(|end| end + 4 + 3);
        let end = end.or_else(|| body.find("--!>").map(|end| end + 4 + 4));
        return Some((
            end.unwrap_or(source.len()),
            HtmlToken::Comment {
                closed: end.is_some(),
            },
        ));
    }
    if source.starts_with("<!") || source.starts_with("<?") {
        let end = source.find('>').map(|end| end + 1);
        return Some((end.unwrap_or(source.len()), HtmlToken::Comment { closed: true }));
    }
    if let Some(rest) = source.strip_prefix("</") {
        let name = tag_name(rest)?;
        let end = source.find('>')?;
        return Some((end + 1, HtmlToken::End { name }));
    }
    let name = tag_name(&source[1..])?;
    let (len, attributes) = attributes_of(source, 1 + name.len())?;
    Some((len, HtmlToken::Start { name, attributes }))
}

fn tag_name(source: &str) -> Option<String> {
    if !source.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = source
        .find(|c: char| c.is_whitespace() || "/>".contains(c))
        .unwrap_or(source.len());
    Some(source[..end].to_ascii_lowercase())
}

/// Attributes from `at` to the closing `>`, and the length of the whole tag.
fn attributes_of(source: &str, mut at: usize) -> Option<(usize, Vec<(String, &str)>)> {
    let mut attributes = Vec::new();
    loop {
        at += source[at..].find(|c: char| !(c.is_whitespace() || c == '/'))?;
        if source[at..].starts_with('>') {
            return Some((at + 1, attributes));
        }
        // The first character belongs to the name, whatever it is.
        let first_len = source[at..].chars().next()?.len_utf8();
        let name_end = |c: char| c.is_whitespace() || "/>=".contains(c);
        let name_len = first_len + source[at + first_len..].find(name_end)?;
        let name = source.get(at..at + name_len)?.to_ascii_lowercase();
        at += name_len;
        let after = source[at..].trim_start();
        let Some(value) = after.strip_prefix('=') else {
            attributes.push((name, ""));
            continue;
        };
        let value = value.trim_start();
        let value_at = source.len() - value.len();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (from, len) = match quote {
            Some(quote) => (value_at + 1, value[1..].find(quote)?),
            None => (value_at, value.find(|c: char| c.is_whitespace() || c == '>')?),
        };
        attributes.push((name, &source[from..from + len]));
        at = from + len + usize::from(quote.is_some());
    }
}
