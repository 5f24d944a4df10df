//! Takes the facts out of one turn.

use super::number::numbers;
use super::sentence::sentences;
use super::words::identifiers;
use super::{FactClass, FactKind, Spot};
use crate::history::{Trust, Turn, TurnKind};

/// A fact as it stands in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::history) struct Found<'a> {
    pub(in crate::history) text: &'a str,
    pub(in crate::history) class: FactClass,
    pub(in crate::history) kind: FactKind,
    pub(in crate::history) spot: Spot,
}

/// The facts of a turn in the order in which they stand there; one that occurs twice is there twice.
pub(in crate::history) fn extract(turn: &Turn) -> Vec<Found<'_>> {
    if turn.kind == TurnKind::Pin {
        return vec![Found {
            text: turn.text.trim(),
            class: FactClass::Rule,
            kind: FactKind::Sentence,
            spot: Spot::Prose,
        }];
    }
    let mut facts = Vec::new();
    let mut fence = None;
    let mut rest = turn.text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(paragraph_line_end(rest, fence.is_none()));
        rest = after;
        if let Some(mark) = fence_mark(line) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                Some(open) => Some(open),
            };
            continue;
        }
        let is_prose = fence.is_none() && turn.trust > Trust::Data && !is_quoted(line);
        let spot = if is_prose { Spot::Prose } else { Spot::Listing };
        if is_prose {
            sentences(line, turn.trust, |text, class| {
                facts.push(Found {
                    text,
                    class,
                    kind: FactKind::Sentence,
                    spot,
                });
            });
        }
        identifiers(line, |text, kind| {
            facts.push(Found {
                text,
                class: FactClass::Identifier,
                kind,
                spot,
            });
        });
        numbers(line, |text| {
            facts.push(Found {
                text,
                class: FactClass::Number,
                kind: FactKind::Number,
                spot,
            });
        });
    }
    facts
}

/// Pasted or quoted: somebody else's words.
fn is_quoted(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t') || line.trim_start().starts_with("> ")
}

fn fence_mark(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~']
        .into_iter()
        .find(|mark| line.chars().take_while(|letter| letter == mark).count() >= 3)
}

/// Prose that is broken at a margin goes on in the next line when that starts with a small letter.
const MARGIN: usize = 60;

/// The end of the first line, its line end included; a sentence broken at a margin is one line.
fn paragraph_line_end(text: &str, may_join: bool) -> usize {
    let mut end = line_end(text);
    let mut line_start = 0;
    while may_join && end < text.len() {
        let line = text[line_start..end].trim_end();
        let next = text[end..].chars().next();
        let goes_on = line.len() >= MARGIN
            && !line.ends_with(['.', ':', ';', '!', '?', '。', '`'])
            && next.is_some_and(char::is_lowercase);
        if !goes_on {
            break;
        }
        line_start = end;
        end += line_end(&text[end..]);
    }
    end
}

fn line_end(text: &str) -> usize {
    text.find(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}'])
        .map_or(text.len(), |at| {
            at + text[at..].chars().next().map_or(0, char::len_utf8)
        })
}
