//! Citation markers and links in a model's text: only what is known stays.

use std::fmt::Write as _;

/// Rewrites `[n]`, `[n, m]` and `[n-m]` markers; a number that maps to nothing disappears, other brackets stay.
pub(super) fn renumber(text: &str, map: impl Fn(usize) -> Vec<usize>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let inside = after.split_once(']').map(|(inside, _)| inside);
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
    let is_part = |c: char| c.is_ascii_digit() || c.is_whitespace() || ",;-–^".contains(c);
    loop {
        let before = out.trim_end_matches(is_part).len();
        if !out[..before].ends_with('[') {
            return;
        }
        out.remove(before - 1);
    }
}

fn marker_numbers(inside: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in inside.trim_start_matches('^').split([',', ';']) {
        let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        numbers.extend(first..=last.min(first.saturating_add(99)));
    }
    Some(numbers)
}

/// Takes out links that are not known: a link is a citation too, and these were invented.
pub(super) fn without_unknown_links(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["http://", "https://"]
        .iter()
        .filter_map(|scheme| rest.find(scheme))
        .min()
    {
        let (before, link) = rest.split_at(at);
        let ends = |c: char| c.is_whitespace() || "<>()[]\"'`".contains(c);
        let link =
            link[..link.find(ends).unwrap_or(link.len())].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        out.push_str(before);
        out.push_str(if is_known(link) { link } else { "(link removed)" });
        rest = &rest[at + link.len()..];
    }
    out.push_str(rest);
    out
}
