//! What no-model research knows about languages: question words, units, numerals and synonyms.
//!
//! The main type is [`Lexicon`], read once from the reviewed files in `data/`. It holds words only; the
//! rules that use them are in `question`, `value`, `aspect` and `structure`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::language::{Language, LanguageFile, WordList};
use super::text::{is_arabic, is_cjk, is_han, is_hangul, words};
use super::unit_class::UnitClass;

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

/// Reads the language files now instead of when they are first needed; takes some milliseconds.
pub fn warm_up() {
    lexicon();
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
                let more: WordList =
                    toml::from_str(ENGLISH_SYNONYMS).expect("the synonym file is read by a test");
                file.synonyms.groups.extend(more.groups);
            }
            lexicon.add(file);
        }
        lexicon
            .cjk_units
            .sort_by_key(|(unit, _)| std::cmp::Reverse(unit.chars().count()));
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
            self.months.extend(
                names
                    .iter()
                    .enumerate()
                    .map(|(idx, name)| (name.clone(), idx + 1)),
            );
        }
        for day in file
            .dates
            .days
            .clone()
            .into_iter()
            .chain(file.dates.words.clone())
        {
            if day.chars().all(is_cjk) {
                self.cjk_days.push(day);
            } else {
                self.days.insert(day);
            }
        }
        self.qualifiers.extend(file.qualifiers.words.clone());
        self.multipliers.extend(file.multipliers.words.clone());
        self.numerals.extend(file.numerals.words.clone());
        self.numeral_stems.extend(file.numerals.stems.clone());
        self.numeral_joiners.extend(file.numerals.joiners.clone());
        self.numeral_characters.extend(file.numerals.characters.chars());
        self.titles.extend(file.persons.titles.clone());
        self.languages.push(Language::of(file));
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
        let n_known = |language: &Language| {
            tokens
                .iter()
                .filter(|word| language.stop.contains(&word.lower))
                .count()
        };
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
            return word
                .split('-')
                .all(|part| self.numerals.contains(part) || part == "one");
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
        word.chars().count() > 6
            && self
                .numeral_stems
                .iter()
                .any(|tail| word.ends_with(tail.as_str()) || word.starts_with(tail.as_str()))
            && self
                .numerals
                .iter()
                .any(|numeral| word.starts_with(numeral.as_str()) || word.starts_with("ein"))
    }
}
