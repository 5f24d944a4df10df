//! Extracts the facts of one turn.

use super::number::numbers;
use super::sentence::recognise_sentence;
use super::words::identifiers;
use super::{FactClass, FactKind, Spot};
use crate::history::statements::statements;
use crate::history::{Turn, TurnKind};

/// A fact as it occurs in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::history) struct Found<'a> {
    pub(in crate::history) text: &'a str,
    pub(in crate::history) class: FactClass,
    pub(in crate::history) kind: FactKind,
    pub(in crate::history) spot: Spot,
}

/// The facts of a turn in the order in which they occur; one that occurs twice is listed twice.
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
    for statement in statements(turn) {
        let spot = if statement.is_prose {
            Spot::Prose
        } else {
            Spot::Listing
        };
        let telling = recognise_sentence(statement.text, turn.trust).filter(|_| statement.is_prose);
        facts.extend(telling.map(|(text, class)| Found {
            text,
            class,
            kind: FactKind::Sentence,
            spot,
        }));
        identifiers(statement.text, |text, kind| {
            facts.push(Found {
                text,
                class: FactClass::Identifier,
                kind,
                spot,
            });
        });
        numbers(statement.text, |text| {
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
