//! The ledger of all facts of a conversation, each listed once.

use std::collections::HashMap;

use super::extract::extract;
use super::{Fact, FactClass, FactKind, Finder, Spot};
use crate::history::{Turn, TurnKind};

/// The facts of the absorbed turns, in the order in which they were first said.
#[derive(Debug, Clone, Default)]
pub struct FactLedger {
    facts: Vec<Fact>,
    by_text: HashMap<String, usize>,
    /// Number of turns in which each shape occurs.
    shapes: HashMap<String, u32>,
    n_turns: u64,
    /// Whether sentences are ignored, except those that the user pinned.
    is_blind: bool,
}

impl FactLedger {
    /// An empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A ledger that recognises no sentences, except those that the user pinned.
    pub(in crate::history) fn without_recognition() -> Self {
        Self {
            is_blind: true,
            ..Self::default()
        }
    }

    /// Number of absorbed turns.
    #[must_use]
    pub fn n_turns(&self) -> u64 {
        self.n_turns
    }

    /// Number of facts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are no facts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Adds the facts of the next turn.
    pub fn absorb(&mut self, turn: &Turn) {
        self.n_turns += 1;
        let mut seen: HashMap<&str, (FactClass, FactKind, Spot)> = HashMap::new();
        let mut order = Vec::new();
        let is_blind = self.is_blind && turn.kind != TurnKind::Pin;
        for found in extract(turn)
            .into_iter()
            .filter(|found| !is_blind || found.class >= FactClass::Identifier)
        {
            let entry = seen.entry(found.text).or_insert_with(|| {
                order.push(found.text);
                (found.class, found.kind, found.spot)
            });
            if (found.class, std::cmp::Reverse(found.spot)) < (entry.0, std::cmp::Reverse(entry.2)) {
                *entry = (found.class, found.kind, found.spot);
            }
        }
        let mut alike: HashMap<String, u32> = HashMap::new();
        for (text, (_, kind, _)) in &seen {
            *alike.entry(shape(text, *kind)).or_default() += 1;
        }
        for text in order {
            let (class, kind, spot) = seen[text];
            let shape = shape(text, kind);
            let n_alike = alike[&shape];
            self.add(
                text,
                turn.number,
                Fact {
                    text: String::new(),
                    class,
                    kind,
                    turn: turn.number,
                    n_turns: 1,
                    spot,
                    n_alike,
                },
            );
        }
        for shape in alike.into_keys() {
            *self.shapes.entry(shape).or_default() += 1;
        }
    }

    fn add(&mut self, text: &str, turn: u64, new: Fact) {
        if let Some(&idx) = self.by_text.get(text) {
            let fact = &mut self.facts[idx];
            if fact.turn != turn {
                fact.n_turns += 1;
            }
            if (new.class, std::cmp::Reverse(new.spot)) < (fact.class, std::cmp::Reverse(fact.spot)) {
                fact.class = new.class;
                fact.kind = new.kind;
                fact.spot = new.spot;
                fact.n_alike = new.n_alike;
            }
            return;
        }
        self.by_text.insert(text.to_owned(), self.facts.len());
        self.facts.push(Fact {
            text: text.to_owned(),
            ..new
        });
    }

    /// The facts of a class, in the order in which they were first said.
    pub(in crate::history) fn of_class(&self, class: FactClass) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(move |fact| fact.class == class)
    }

    pub(in crate::history) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Facts that do not occur in the text, the most important first.
    pub(in crate::history) fn missing_from<'a>(&'a self, finder: &Finder<'_>) -> Vec<&'a Fact> {
        let mut missing: Vec<(i32, &Fact)> = self
            .facts
            .iter()
            .filter(|fact| !finder.contains(&fact.text))
            .map(|fact| (self.weight(fact), fact))
            .collect();
        missing.sort_by_key(|(weight, fact)| (fact.class.min(FactClass::Identifier), -weight, fact.turn));
        missing.into_iter().map(|(_, fact)| fact).collect()
    }

    /// The importance of the fact with this text.
    pub(in crate::history) fn weight_of(&self, text: &str, class: FactClass) -> i32 {
        let known = self
            .by_text
            .get(text)
            .map_or(0, |&idx| self.weight(&self.facts[idx]));
        // Sentences come before identifiers and numbers.
        if class < FactClass::Identifier {
            known + 100
        } else {
            known
        }
    }

    /// The importance of a fact: high if it is unique in its turn, said in prose and of a rare shape.
    fn weight(&self, fact: &Fact) -> i32 {
        let spot = match fact.spot {
            Spot::Prose => 4,
            Spot::Listing => 0,
        };
        let alone = match fact.n_alike {
            0..=1 => 4,
            2..=3 => 2,
            4..=6 => 0,
            7.. => -3,
        };
        let kind = match fact.kind {
            FactKind::Sentence => 4,
            FactKind::Ticket | FactKind::Env | FactKind::Version | FactKind::Host | FactKind::Address => 3,
            FactKind::Url | FactKind::Hash | FactKind::Uuid | FactKind::ShortHash | FactKind::Branch => 3,
            FactKind::Path => 2,
            FactKind::Number => 2,
            FactKind::Name => -2,
            FactKind::Place => -4,
        };
        let n_shape = self
            .shapes
            .get(&shape(&fact.text, fact.kind))
            .copied()
            .unwrap_or(1);
        let rare = match u64::from(n_shape) * 100 / self.n_turns.max(1) {
            0..=3 => 2,
            4..=10 => 0,
            11.. => -2,
        };
        let repeated = match fact.n_turns {
            0..=2 => 0,
            3.. => -4,
        };
        spot + alone + kind + rare + repeated
    }
}

/// The shape of a fact: runs of digits, lower-case and upper-case letters each become one character.
fn shape(text: &str, kind: FactKind) -> String {
    match kind {
        FactKind::Sentence => return text.to_owned(),
        FactKind::Hash | FactKind::ShortHash | FactKind::Uuid => return format!("{kind:?}{}", text.len()),
        FactKind::Url | FactKind::Place => return format!("{kind:?}"),
        FactKind::Number => {
            // Amounts have the same shape if they have the same unit.
            let unit = text
                .find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | '_' | '-'));
            let unit = unit.map_or("", |at| &text[at..]);
            let point = if text.contains('.') { "0.0" } else { "0" };
            return format!("{point}{unit}");
        }
        _ => {}
    }
    let mut shape = format!("{kind:?}");
    let mut last = ' ';
    for letter in text.chars() {
        let sign = match letter {
            '0'..='9' => '0',
            letter if letter.is_uppercase() => 'A',
            letter if letter.is_alphabetic() => 'a',
            letter => letter,
        };
        if sign != last {
            shape.push(sign);
        }
        last = sign;
    }
    if kind == FactKind::Path {
        // The extension and the first folder distinguish paths better than the names between them.
        let first: String = text
            .chars()
            .take_while(|letter| !matches!(letter, '-' | '.'))
            .take(5)
            .collect();
        shape.push_str(&first);
    }
    shape
}
