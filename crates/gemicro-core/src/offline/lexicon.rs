//! What no-model research knows about languages: question words, units, numerals and synonyms.
//!
//! The main type is [`Lexicon`], read once from the reviewed files in `data/`. It holds words only; the
//! rules that use them are in `question`, `value`, `aspect` and `structure`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::text::{is_arabic, is_cjk, is_han, is_hangul, stem, words};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the quantities say it")]
pub enum UnitClass {
    Duration,
    Length,
    Mass,
    Volume,
    Area,
    Speed,
    Temperature,
    Money,
    Percent,
    Power,
    Energy,
    Voltage,
    Current,
    Charge,
    Data,
    Pressure,
    Frequency,
    Sound,
    Light,
    Angle,
    /// A number of things, without a unit of measure.
    Count,
}

/// What a wh-word expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AskKind {
    Person,
    Place,
    Date,
    Quantity,
    Value,
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
struct Numerals {
    words: Vec<String>,
    stems: Vec<String>,
    joiners: Vec<String>,
    characters: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Dates {
    months: Vec<String>,
    months_short: Vec<String>,
    days: Vec<String>,
    words: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct WordList {
    words: Vec<String>,
    titles: Vec<String>,
    groups: Vec<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct LanguageFile {
    code: String,
    stop: Vec<String>,
    light: Vec<String>,
    ask: Vec<Ask>,
    #[serde(default)]
    verbs: BTreeMap<UnitClass, Vec<String>>,
    measures: BTreeMap<String, Vec<String>>,
    linked: BTreeMap<String, Vec<String>>,
    units: BTreeMap<UnitClass, Vec<String>>,
    #[serde(default)]
    qualifiers: WordList,
    #[serde(default)]
    multipliers: WordList,
    #[serde(default)]
    numerals: Numerals,
    #[serde(default)]
    dates: Dates,
    #[serde(default)]
    persons: WordList,
    #[serde(default)]
    follow: Follow,
    #[serde(default)]
    synonyms: WordList,
}

/// Words of one language.
#[derive(Debug)]
pub(crate) struct Language {
    pub(crate) code: String,
    pub(crate) stop: HashSet<String>,
    pub(crate) light: HashSet<String>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) verbs: HashMap<String, UnitClass>,
    /// Noun to the names of what it measures; `date` and `number` stand beside the unit classes.
    pub(crate) measures: HashMap<String, Vec<String>>,
    /// Word to what a unit must measure to answer it.
    pub(crate) linked: HashMap<String, Vec<String>>,
    pub(crate) follow: Follow,
    groups: Vec<Vec<Vec<String>>>,
    /// Stem of a first word to the groups that hold a phrase starting with it.
    group_index: HashMap<String, Vec<usize>>,
}

impl Language {
    /// The synonym groups that hold a phrase starting with this word.
    pub(crate) fn groups_of(&self, word: &str) -> impl Iterator<Item = &Vec<Vec<String>>> {
        let key = stem(word);
        self.group_index.get(&key).into_iter().flatten().map(|idx| &self.groups[*idx])
    }

    /// All groups; used where a language has no spaces and words cannot be looked up.
    pub(crate) fn groups(&self) -> &[Vec<Vec<String>>] {
        &self.groups
    }
}

/// Everything the language files say, joined where a word means the same in all of them.
#[derive(Debug)]
pub(crate) struct Lexicon {
    languages: Vec<Language>,
    units: HashMap<String, UnitClass>,
    /// Units of languages without spaces, longest first.
    pub(crate) cjk_units: Vec<(String, UnitClass)>,
    months: HashMap<String, usize>,
    days: HashSet<String>,
    pub(crate) cjk_days: Vec<String>,
    qualifiers: HashSet<String>,
    multipliers: HashSet<String>,
    numerals: HashSet<String>,
    numeral_stems: Vec<String>,
    numeral_joiners: HashSet<String>,
    numeral_characters: HashSet<char>,
    titles: HashSet<String>,
}

/// The lexicon, read on first use.
pub(crate) fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);
    &LEXICON
}

const FILES: [&str; 8] = [
    include_str!("data/en.toml"),
    include_str!("data/de.toml"),
    include_str!("data/fr.toml"),
    include_str!("data/es.toml"),
    include_str!("data/zh.toml"),
    include_str!("data/ja.toml"),
    include_str!("data/ko.toml"),
    include_str!("data/ar.toml"),
];
const ENGLISH_SYNONYMS: &str = include_str!("data/en-synonyms.toml");

impl Lexicon {
    fn read() -> Self {
        let mut lexicon = Self {
            languages: Vec::new(),
            units: HashMap::new(),
            cjk_units: Vec::new(),
            months: HashMap::new(),
            days: HashSet::new(),
            cjk_days: Vec::new(),
            qualifiers: HashSet::new(),
            multipliers: HashSet::new(),
            numerals: HashSet::new(),
            numeral_stems: Vec::new(),
            numeral_joiners: HashSet::new(),
            numeral_characters: HashSet::new(),
            titles: HashSet::new(),
        };
        for text in FILES {
            let mut file: LanguageFile = toml::from_str(text).expect("the language files are read by a test");
            if file.code == "en" {
                let more: WordList = toml::from_str(ENGLISH_SYNONYMS).expect("the synonym file is read by a test");
                file.synonyms.groups.extend(more.groups);
            }
            lexicon.add(file);
        }
        lexicon.cjk_units.sort_by_key(|(unit, _)| std::cmp::Reverse(unit.chars().count()));
        lexicon
    }

    fn add(&mut self, file: LanguageFile) {
        for (class, units) in &file.units {
            for unit in units {
                if unit.chars().all(is_cjk) || unit == "%" || unit == "％" {
                    self.cjk_units.push((unit.clone(), *class));
                }
                self.units.entry(unit.clone()).or_insert(*class);
            }
        }
        for names in [&file.dates.months, &file.dates.months_short] {
            self.months.extend(names.iter().enumerate().map(|(idx, name)| (name.clone(), idx + 1)));
        }
        for day in file.dates.days.into_iter().chain(file.dates.words) {
            if day.chars().all(is_cjk) {
                self.cjk_days.push(day);
            } else {
                self.days.insert(day);
            }
        }
        self.qualifiers.extend(file.qualifiers.words);
        self.multipliers.extend(file.multipliers.words);
        self.numerals.extend(file.numerals.words);
        self.numeral_stems.extend(file.numerals.stems);
        self.numeral_joiners.extend(file.numerals.joiners);
        self.numeral_characters.extend(file.numerals.characters.chars());
        self.titles.extend(file.persons.titles);
        self.languages.push(language(file.code, file.stop, file.light, (file.ask, file.verbs), (file.measures, file.linked), (file.follow, file.synonyms.groups)));
    }

    /// The language of a text, by its script and its function words.
    pub(crate) fn language_of(&self, text: &str) -> &Language {
        let code = if text.chars().any(|c| is_cjk(c) && !is_han(c)) {
            "ja"
        } else if text.chars().any(is_han) {
            "zh"
        } else if text.chars().any(is_hangul) {
            "ko"
        } else if text.chars().any(is_arabic) {
            "ar"
        } else {
            ""
        };
        if let Some(language) = self.languages.iter().find(|language| language.code == code) {
            return language;
        }
        let tokens = words(text);
        let n_known = |language: &Language| tokens.iter().filter(|word| language.stop.contains(&word.lower)).count();
        let mut best = &self.languages[0];
        for language in &self.languages[1..] {
            if n_known(language) > n_known(best) {
                best = language;
            }
        }
        best
    }

    /// A function word in any language.
    pub(crate) fn is_stop(&self, word: &str) -> bool {
        self.languages.iter().any(|language| language.stop.contains(word))
    }

    pub(crate) fn unit(&self, word: &str) -> Option<UnitClass> {
        self.units.get(word).copied()
    }

    pub(crate) fn month(&self, word: &str) -> Option<usize> {
        self.months.get(word).copied()
    }

    pub(crate) fn is_day(&self, word: &str) -> bool {
        self.days.contains(word)
    }

    pub(crate) fn is_qualifier(&self, word: &str) -> bool {
        self.qualifiers.contains(word) || self.multipliers.contains(word)
    }

    pub(crate) fn is_multiplier(&self, word: &str) -> bool {
        self.multipliers.contains(word)
    }

    pub(crate) fn is_title(&self, word: &str) -> bool {
        self.titles.contains(word)
    }

    pub(crate) fn joins_numerals(&self, word: &str) -> bool {
        self.numeral_joiners.contains(word)
    }

    pub(crate) fn is_numeral_character(&self, c: char) -> bool {
        self.numeral_characters.contains(&c)
    }

    /// A number in words: "forty-two", "dreiundvierzig", "칠백삼십이", "وسبعين".
    pub(crate) fn is_numeral(&self, word: &str) -> bool {
        if word.contains('-') {
            return word.split('-').all(|part| self.numerals.contains(part) || part == "one");
        }
        if self.numerals.contains(word) {
            return true;
        }
        let first = word.chars().next().unwrap_or(' ');
        if is_hangul(first) {
            return word.chars().count() >= 2 && word.chars().all(|c| self.numeral_characters.contains(&c));
        }
        if is_arabic(first) {
            let bare = word.trim_start_matches(['و', 'ل', 'ب']);
            return self.numerals.contains(bare);
        }
        word.chars().count() > 6 && self.numeral_stems.iter().any(|tail| word.ends_with(tail.as_str()) || word.starts_with(tail.as_str()))
            && self.numerals.iter().any(|numeral| word.starts_with(numeral.as_str()) || word.starts_with("ein"))
    }
}

type Grammar = (Vec<Ask>, BTreeMap<UnitClass, Vec<String>>);
type Measures = (BTreeMap<String, Vec<String>>, BTreeMap<String, Vec<String>>);

fn language(code: String, stop: Vec<String>, light: Vec<String>, grammar: Grammar, measures: Measures, rest: (Follow, Vec<Vec<String>>)) -> Language {
    let groups: Vec<Vec<Vec<String>>> = rest
        .1
        .into_iter()
        .map(|group| group.iter().map(|phrase| phrase.split(' ').map(str::to_owned).collect()).collect())
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
    let verbs = grammar.1.into_iter().flat_map(|(class, verbs)| verbs.into_iter().map(move |verb| (verb, class))).collect();
    Language {
        code,
        stop: stop.into_iter().collect(),
        light: light.into_iter().collect(),
        asks: grammar.0,
        verbs,
        measures: inverted(measures.0),
        linked: inverted(measures.1),
        follow: rest.0,
        groups,
        group_index,
    }
}

fn inverted(table: BTreeMap<String, Vec<String>>) -> HashMap<String, Vec<String>> {
    let mut by_word: HashMap<String, Vec<String>> = HashMap::new();
    for (name, entries) in table {
        for entry in entries {
            by_word.entry(entry).or_default().push(name.clone());
        }
    }
    by_word
}

impl UnitClass {
    /// The name used in the language files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Length => "length",
            Self::Mass => "mass",
            Self::Volume => "volume",
            Self::Area => "area",
            Self::Speed => "speed",
            Self::Temperature => "temperature",
            Self::Money => "money",
            Self::Percent => "percent",
            Self::Power => "power",
            Self::Energy => "energy",
            Self::Voltage => "voltage",
            Self::Current => "current",
            Self::Charge => "charge",
            Self::Data => "data",
            Self::Pressure => "pressure",
            Self::Frequency => "frequency",
            Self::Sound => "sound",
            Self::Light => "light",
            Self::Angle => "angle",
            Self::Count => "count",
        }
    }

    const ALL: [Self; 21] = [
        Self::Duration, Self::Length, Self::Mass, Self::Volume, Self::Area, Self::Speed, Self::Temperature, Self::Money,
        Self::Percent, Self::Power, Self::Energy, Self::Voltage, Self::Current, Self::Charge, Self::Data, Self::Pressure,
        Self::Frequency, Self::Sound, Self::Light, Self::Angle, Self::Count,
    ];

    /// The class of that name in the language files.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}
