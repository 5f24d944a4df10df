//! The visible text of an HTML page: everything but tags, comments, scripts and styles.

use super::charref::unescape;
use super::normal::is_space;

/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "p", "div", "h1", "h2", "h3", "li", "tr", "td", "th", "br", "footer", "title", "body", "section",
    "table", "ul", "ol",
];
/// Elements whose content is no text.
const SILENT: &[&str] = &["script", "style"];

/// Reads a page.
pub(crate) fn visible(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while !rest.is_empty() {
        let text_end = rest.find('<').unwrap_or(rest.len());
        out.push_str(&unescape(&rest[..text_end]));
        rest = &rest[text_end..];
        if rest.is_empty() {
            break;
        }
        let markup = markup(rest);
        match &markup.piece {
            Piece::Start { name, closed: false } if SILENT.contains(&name.as_str()) => {
                // Nothing is read until the end tag; without one the page ends here.
                rest = after_end_tag(&rest[markup.length..], name).unwrap_or_default();
                continue;
            }
            Piece::Start { name, closed } if BLOCKS.contains(&name.as_str()) => {
                out.push_str(if *closed { "\n\n" } else { "\n" });
            }
            Piece::End { name } if BLOCKS.contains(&name.as_str()) => out.push('\n'),
            Piece::Start { .. } | Piece::End { .. } | Piece::Hidden => {}
            Piece::Text => out.push_str(&unescape(&rest[..markup.length])),
        }
        rest = &rest[markup.length..];
    }
    out
}

/// What stands at a `<`.
struct Markup {
    piece: Piece,
    length: usize,
}

enum Piece {
    Start {
        name: String,
        closed: bool,
    },
    End {
        name: String,
    },
    /// A comment, declaration or instruction.
    Hidden,
    /// No markup after all.
    Text,
}

fn markup(text: &str) -> Markup {
    let after = |n: usize| text[n..].chars().next();
    let found = if after(1).is_some_and(|c| c.is_ascii_alphabetic()) {
        start_tag(text)
    } else if text.starts_with("</") {
        end_tag(text)
    } else if text.starts_with("<!--") {
        hidden(comment_end(text))
    } else if text.starts_with("<![") {
        hidden(text.find("]>").map(|idx| idx + 2))
    } else if text.starts_with("<!") || text.starts_with("<?") {
        hidden(text.find('>').map(|idx| idx + 1))
    } else {
        return Markup {
            piece: Piece::Text,
            length: 1,
        };
    };
    // What is never closed is text up to the next `>` or `<`.
    found.unwrap_or_else(|| {
        let length = match (text.find('>'), text[1..].find('<')) {
            (Some(idx), _) => idx + 1,
            (None, Some(idx)) => idx + 1,
            (None, None) => 1,
        };
        Markup {
            piece: Piece::Text,
            length,
        }
    })
}

fn hidden(end: Option<usize>) -> Option<Markup> {
    end.map(|length| Markup {
        piece: Piece::Hidden,
        length,
    })
}

/// The end of `<!-- … -- >`.
fn comment_end(text: &str) -> Option<usize> {
    text.match_indices("--")
        .filter(|(start, _)| *start >= 4)
        .find_map(|(start, _)| {
            let rest = text[start + 2..].trim_start_matches(is_space);
            rest.starts_with('>').then(|| text.len() - rest.len() + 1)
        })
}

/// A start tag; a `>` inside a quoted value does not end it.
fn start_tag(text: &str) -> Option<Markup> {
    let name_end = text[1..]
        .find(|c| "\t\n\r\u{c} />\0".contains(c))
        .map(|idx| idx + 1)?;
    let name = text[1..name_end].to_lowercase();
    let mut quote = None;
    let mut previous = ' ';
    for (idx, c) in text.char_indices().skip_while(|(idx, _)| *idx < name_end) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if previous == '=' => quote = Some(c),
            (None, '>') => {
                let closed = text[..idx].ends_with('/');
                return Some(Markup {
                    piece: Piece::Start { name, closed },
                    length: idx + 1,
                });
            }
            (None, _) => {}
        }
        if !is_space(c) {
            previous = c;
        }
    }
    None
}

fn end_tag(text: &str) -> Option<Markup> {
    let length = text.find('>')? + 1;
    let inside = text[2..length - 1].trim_start_matches(is_space);
    let name_end = inside
        .find(|c: char| is_space(c) || c == '/')
        .unwrap_or(inside.len());
    let piece = if inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
        Piece::End {
            name: inside[..name_end].to_lowercase(),
        }
    } else {
        Piece::Hidden
    };
    Some(Markup { piece, length })
}

/// What follows the end tag of a silent element.
fn after_end_tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.match_indices("</").find_map(|(start, _)| {
        let inside = text[start + 2..].trim_start_matches(is_space);
        let found = inside.get(..name.len())?.eq_ignore_ascii_case(name);
        let rest = inside[name.len()..].trim_start_matches(is_space);
        if found { rest.strip_prefix('>') } else { None }
    })
}
