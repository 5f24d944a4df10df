//! One language: the shape of its file, and its words as the rules use them.
//!
//! The main types are [`LanguageFile`] (what is written in `data/`) and [`Language`] (what is looked up).

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;

use super::text::stem;
use super::unit_class::UnitClass;

/// What a wh-word expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AskKind {
    Person,
    Place,
    Date,
    Quantity,
    Value,
    Name,
    Reason,
}

/// One entry of a language's question words.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Ask {
    pub(crate) kind: AskKind,
    #[serde(default)]
    pub(crate) classes: Vec<UnitClass>,
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Follow {
    /// What may stand before a second subject.
    pub(crate) leads: Vec<String>,
    /// What may stand after a second subject.
    pub(crate) trails: Vec<String>,
    /// Words that join two questions.
    pub(crate) joints: Vec<String>,
    /// Words that open a relative clause.
    pub(crate) relatives: Vec<String>,
    /// General nouns that a relative clause may explain.
    pub(crate) nouns: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Numerals {
    pub(crate) words: Vec<String>,
    pub(crate) stems: Vec<String>,
    pub(crate) joiners: Vec<String>,
    pub(crate) characters: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Dates {
    pub(crate) months: Vec<String>,
    pub(crate) months_short: Vec<String>,
    pub(crate) days: Vec<String>,
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WordList {
    pub(crate) words: Vec<String>,
    pub(crate) titles: Vec<String>,
    pub(crate) groups: Vec<Vec<String>>,
    pub(crate) markers: Vec<String>,
}

/// What asks for a cause or a way, and what gives a cause.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reasons {
    pub(crate) asks: Vec<String>,
    pub(crate) gives: Vec<String>,
    pub(crate) ways: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LanguageFile {
    pub(crate) code: String,
    pub(crate) stop: Vec<String>,
    pub(crate) light: Vec<String>,
    #[serde(default)]
    pub(crate) request: Vec<String>,
    #[serde(default)]
    pub(crate) operations: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) reasons: Reasons,
    pub(crate) ask: Vec<Ask>,
    pub(crate) measures: BTreeMap<String, Vec<String>>,
    pub(crate) linked: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) degree: BTreeMap<String, Vec<String>>,
    pub(crate) units: BTreeMap<UnitClass, Vec<String>>,
    #[serde(default)]
    pub(crate) qualifiers: WordList,
    #[serde(default)]
    pub(crate) multipliers: WordList,
    #[serde(default)]
    pub(crate) numerals: Numerals,
    #[serde(default)]
    pub(crate) dates: Dates,
    #[serde(default)]
    pub(crate) persons: WordList,
    #[serde(default)]
    pub(crate) names: WordList,
    #[serde(default)]
    pub(crate) follow: Follow,
    #[serde(default)]
    pub(crate) synonyms: WordList,
}

/// Words of one language.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) code: String,
    pub(crate) stop: HashSet<String>,
    pub(crate) light: HashSet<String>,
    /// Words of an order to look something up.
    pub(crate) request: HashSet<String>,
    /// Names of what can be worked out from a table, with the phrases that ask for it.
    pub(crate) operations: BTreeMap<String, Vec<String>>,
    pub(crate) reasons: Reasons,
    pub(crate) asks: Vec<Ask>,
    /// Noun to the names of what it measures; `date` and `number` stand beside the unit classes.
    pub(crate) measures: HashMap<String, Vec<String>>,
    /// Word to what a unit must measure to answer it.
    pub(crate) linked: HashMap<String, Vec<String>>,
    /// Noun to what "how much", "how long", "how big" mean beside it.
    pub(crate) degree: HashMap<String, Vec<String>>,
    pub(crate) follow: Follow,
    /// Where names cannot be told by capitals: a sentence that names somebody holds one of these.
    pub(crate) naming: Vec<String>,
    groups: Vec<Vec<Vec<String>>>,
    /// Stem of a first word to the groups that hold a phrase starting with it.
    group_index: HashMap<String, Vec<usize>>,
}

impl Language {
    /// Takes from a file what belongs to this language alone.
    pub(crate) fn of(file: LanguageFile) -> Self {
        let groups: Vec<Vec<Vec<String>>> = file
            .synonyms
            .groups
            .into_iter()
            .map(|group| {
                group
                    .iter()
                    .map(|phrase| phrase.split(' ').map(str::to_owned).collect())
                    .collect()
            })
            .collect();
        let mut group_index: HashMap<String, Vec<usize>> = HashMap::new();
        for (group_idx, group) in groups.iter().enumerate() {
            for first in group.iter().filter_map(|phrase| phrase.first()) {
                let indexed = group_index.entry(stem(first)).or_default();
                if indexed.last() != Some(&group_idx) {
                    indexed.push(group_idx);
                }
            }
        }
        Self {
            code: file.code,
            stop: file.stop.into_iter().collect(),
            light: file.light.into_iter().collect(),
            request: file.request.into_iter().collect(),
            operations: file.operations,
            reasons: file.reasons,
            asks: file.ask,
            measures: invert_table(file.measures),
            linked: invert_table(file.linked),
            degree: invert_table(file.degree),
            follow: file.follow,
            naming: file.names.markers,
            groups,
            group_index,
        }
    }

    /// The synonym groups that hold a phrase starting with this word.
    pub(crate) fn groups_of(&self, word: &str) -> impl Iterator<Item = &Vec<Vec<String>>> {
        let key = stem(word);
        self.group_index
            .get(&key)
            .into_iter()
            .flatten()
            .map(|idx| &self.groups[*idx])
    }

    /// All groups; used where a language has no spaces and words cannot be looked up.
    pub(crate) fn groups(&self) -> &[Vec<Vec<String>>] {
        &self.groups
    }
}

fn invert_table(table: BTreeMap<String, Vec<String>>) -> HashMap<String, Vec<String>> {
    let mut by_word: HashMap<String, Vec<String>> = HashMap::new();
    for (name, entries) in table {
        for entry in entries {
            by_word.entry(entry).or_default().push(name.clone());
        }
    }
    by_word
}
