//! Addresses of machines in a text: with a scheme, as a bare host name, or as a number.

use super::structure::shapes;

/// An address of another machine, outside a Markdown link: with a scheme, or a bare host name.
pub(crate) fn has_foreign_address(text: &str) -> bool {
    let lower = without_link_targets(&text.to_lowercase());
    let has_scheme = lower.match_indices("://").any(|(at, _)| {
        let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '.' | '-' | '[');
        let host: String = lower[at + 3..].chars().take_while(is_part).collect();
        let is_local = ["localhost", "127.", "0.0.0.0", "["]
            .iter()
            .any(|local| host.starts_with(local));
        !is_local && !host.is_empty()
    });
    has_scheme || has_host_name(&lower)
}

/// "[text](https://…)": the reader sees the text only; a span with such a target is still not quoted.
fn without_link_targets(lower: &str) -> String {
    let mut kept = String::with_capacity(lower.len());
    let mut rest = lower;
    while let Some(at) = rest.find("](") {
        kept.push_str(&rest[..at + 1]);
        rest = rest[at + 2..].split_once(')').map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

fn has_host_name(lower: &str) -> bool {
    as_rendered(lower)
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '(' | ')'
                        | '"'
                        | '\''
                        | '`'
                        | ','
                        | ';'
                        | '<'
                        | '>'
                        | '['
                        | ']'
                        | '='
                        | ':'
                        | '/'
                        | '@'
                        | '，'
                        | '。'
                )
        })
        .map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()))
        .any(is_host)
}

/// The text as a reader of the rendered page sees it, as far as names of machines go.
fn as_rendered(lower: &str) -> String {
    let dots = ["&#46;", "&#x2e;", "&period;"];
    let plain = dots
        .iter()
        .fold(lower.to_owned(), |text, dot| text.replace(dot, "."));
    plain.replace(['*', '_'], "")
}

/// A lower-case word is the name or number of a machine.
pub(crate) fn is_host(token: &str) -> bool {
    let labels: Vec<&str> = token.split('.').collect();
    let are_labels = labels
        .iter()
        .all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'));
    if labels.len() < 2 || !are_labels {
        return false;
    }
    let is_ip = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    let has_name = labels[0].chars().any(char::is_alphabetic);
    let ending = labels[labels.len() - 1];
    is_ip || has_name && shapes().host_endings.iter().any(|known| known == ending)
}

/// A span with any address in it is never quoted, wherever the address points.
pub(crate) fn holds_address(span: &str) -> bool {
    let lower = span.to_lowercase();
    lower.contains("://") || lower.contains("www.") || has_host_name(&lower)
}
