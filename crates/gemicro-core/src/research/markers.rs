//! Citation markers and links in a model's text: only what is known stays.

use std::fmt::Write as _;

use gemicro_event::text::one_line;

use crate::offline::is_host;

/// Bytes inside a marker, at most.
const LONGEST_MARKER: usize = 128;
/// What stands in place of a link that nobody knows.
const REMOVED: &str = "(link removed)";

/// Rewrites `[n]`, `[n, m]` and `[n-m]` markers; a number that maps to nothing disappears, other brackets stay.
pub(super) fn renumber(text: &str, map: impl Fn(usize) -> Vec<usize>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        // A marker is short; looking no further keeps this linear.
        let near = &after[..after.floor_char_boundary(LONGEST_MARKER)];
        let inside = near.split_once(']').map(|(inside, _)| inside);
        match (inside, inside.and_then(marker_numbers)) {
            (Some(inside), Some(numbers)) => {
                let mut kept: Vec<usize> = numbers.into_iter().flat_map(&map).collect();
                kept.dedup();
                if kept.is_empty() {
                    out.push_str(before.strip_suffix(' ').unwrap_or(before));
                    close_gap(&mut out);
                } else {
                    out.push_str(before);
                }
                for number in kept {
                    let _ = write!(out, "[{number}]");
                }
                rest = &after[inside.len() + 1..];
            }
            (Some(_), None) | (None, _) => {
                out.push_str(before);
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A quote on one line, for an answer: the document's own `[n]` become `(n)`, because they name none of the sources.
pub(super) fn unmarked_quote(span: &str) -> String {
    let mut out = String::with_capacity(span.len());
    let line = one_line(span);
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let (inside, behind) = after.split_at(after.find(|c| !is_marker_part(c)).unwrap_or(after.len()));
        match behind
            .strip_prefix(']')
            .filter(|_| marker_numbers(inside).is_some())
        {
            Some(behind) => {
                let _ = write!(out, "({inside})");
                rest = behind;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The numbers of all markers in a text, in order, each once.
pub(super) fn marks(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let inside = text.split('[').skip(1);
    let inside = inside.filter_map(|rest| rest.split_once(']').map(|(inside, _)| inside));
    for number in inside.filter_map(|inside| inside.parse().ok()) {
        if !found.contains(&number) {
            found.push(number);
        }
    }
    found
}

/// Takes away brackets that were left open right before a marker that is gone: with what follows they could
/// read as markers of their own.
fn close_gap(out: &mut String) {
    loop {
        let before = out.trim_end_matches(is_marker_part).len();
        if !out[..before].ends_with('[') {
            return;
        }
        out.remove(before - 1);
    }
}

/// Whether a character can be inside a marker.
fn is_marker_part(c: char) -> bool {
    c.is_ascii_digit() || c.is_whitespace() || ",;-–^".contains(c)
}

fn marker_numbers(inside: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    let parts = inside.trim_start_matches('^').split([',', ';']);
    let mut parts = parts
        .map(|part| part.trim().trim_matches(['-', '–']))
        .filter(|part| !part.is_empty())
        .peekable();
    parts.peek()?;
    for part in parts {
        let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        numbers.extend(first..=last.min(first.saturating_add(99)));
    }
    Some(numbers)
}

/// Takes out links and names of machines that are not known: a link is a citation too, and these were invented.
pub(super) fn without_unknown_links(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = link_start(rest) {
        let (before, link) = rest.split_at(at);
        let ends = |c: char| c.is_whitespace() || "<>()[]\"'`".contains(c);
        let link =
            link[..link.find(ends).unwrap_or(link.len())].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        push_without_hosts(&mut out, before, &is_known);
        out.push_str(if is_known(link) { link } else { REMOVED });
        rest = &rest[at + link.len()..];
    }
    push_without_hosts(&mut out, rest, &is_known);
    out
}

/// Where the next link begins: a word with a scheme, whatever its letters and whatever it is called.
fn link_start(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(offset) = text[from..].find(':') {
        let colon = from + offset;
        let scheme_start = text[..colon]
            .rfind(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let skipped = text[scheme_start..colon].find(|c: char| c.is_ascii_alphabetic());
        let scheme_start = scheme_start + skipped.unwrap_or(0);
        let scheme = &text[scheme_start..colon];
        let has_place = text[colon + 1..].starts_with("//");
        let runs_code = ["javascript", "data", "vbscript"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known));
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_scheme && (has_place || (runs_code && !text[colon + 1..].starts_with([' ', '\n']))) {
            return Some(scheme_start);
        }
        from = colon + 1;
    }
    None
}

/// Whether a text names this link or machine as a whole, not as the beginning of another.
pub(super) fn names_link(text: &str, link: &str) -> bool {
    if link.is_empty() {
        return false;
    }
    text.match_indices(link).any(|(at, found)| {
        let mut after = text[at + found.len()..].chars();
        let before = text[..at].chars().next_back();
        let is_address = link.contains("://");
        let ends = match after.next() {
            None => true,
            // A machine's name may be followed by a path of its own.
            Some('/') if !is_address => true,
            // Ends a sentence as often as it goes on.
            Some('.' | '?' | '#' | ':' | '/') => !after.next().is_some_and(char::is_alphanumeric),
            Some(c) => !c.is_alphanumeric() && !"-_%=&+~@".contains(c),
        };
        ends && !before.is_some_and(|c| c.is_alphanumeric() || c == '-' || (c == '.' && !is_address))
    })
}

/// Names of machines without a scheme are links too.
fn push_without_hosts(out: &mut String, text: &str, is_known: &impl Fn(&str) -> bool) {
    let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        out.push_str(&rest[..start]);
        let run = &rest[start..];
        let run = &run[..run.find(|c| !is_part(c)).unwrap_or(run.len())];
        let name = run.trim_matches(['.', '-']);
        if is_host(&name.to_lowercase()) && !is_known(name) {
            out.push_str(&run.replace(name, REMOVED));
        } else {
            out.push_str(run);
        }
        rest = &rest[start + run.len()..];
    }
    out.push_str(rest);
}
