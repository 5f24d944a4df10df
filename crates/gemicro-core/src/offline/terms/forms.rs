//! The words of a text in the forms in which they are compared: [`WordForms`].

use crate::offline::lexicon::lexicon;
use crate::offline::text::{stem, words};

/// The words of a text in the forms in which they are compared.
#[derive(Debug, Default)]
pub(crate) struct WordForms {
    pub(super) wholes: Vec<String>,
    pub(super) atoms: Vec<String>,
    pub(super) stems: Vec<String>,
    pub(super) months: Vec<usize>,
    /// It is the head of a column, where short forms are common: "os" for "operating system".
    pub(super) is_head: bool,
}

impl WordForms {
    /// The head of a column.
    pub(crate) fn of_head(text: &str) -> Self {
        Self {
            is_head: true,
            ..Self::of(text)
        }
    }

    pub(crate) fn of(text: &str) -> Self {
        let mut forms = Self::default();
        for word in words(text) {
            let parts = parts_of(&text[word.range.clone()]);
            if word.cjk {
                let chars: Vec<char> = word.lower.chars().collect();
                forms
                    .wholes
                    .extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
            forms.wholes.push(word.lower.clone());
            if parts.len() > 1 {
                forms.wholes.extend(parts.iter().cloned());
                forms.atoms.extend(parts);
            } else {
                forms.atoms.push(word.lower);
            }
        }
        forms.stems = forms.atoms.iter().map(|atom| stem(atom)).collect();
        forms.months = months_in(&forms.atoms);
        let quarters = forms
            .atoms
            .windows(2)
            .filter_map(|pair| quarter(&pair[0], Some(&pair[1])));
        let quarters: Vec<String> = quarters.map(str::to_owned).collect();
        forms.wholes.extend(quarters);
        forms
    }

    /// The words in a row have these initials: "data protection officer" for "dpo".
    pub(super) fn initials_of(&self, short: &str) -> bool {
        let letters: Vec<char> = short.chars().collect();
        (3..=5).contains(&letters.len())
            && letters.iter().all(|c| c.is_ascii_alphabetic())
            && self.atoms.windows(letters.len()).any(|window| {
                window
                    .iter()
                    .zip(&letters)
                    .all(|(atom, letter)| atom.starts_with(*letter) && atom.len() > 2)
            })
    }
}

/// "MAX_ATTEMPTS", "maxAttempts" and "max-attempts" in their parts, in lower case.
pub(super) fn parts_of(slice: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in slice.chars() {
        let is_break = !c.is_alphanumeric();
        if is_break || c.is_uppercase() && was_lower {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit() && was_lower;
        if !is_break && let Some(last) = parts.last_mut() {
            last.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty() && part != "s");
    let is_value = slice.starts_with(|c: char| c.is_ascii_digit()) && !slice.contains('-');
    if is_value { Vec::new() } else { parts }
}

/// Months by name, and in dates written with digits.
fn months_in(atoms: &[String]) -> Vec<usize> {
    let mut months: Vec<usize> = atoms.iter().filter_map(|atom| lexicon().month(atom)).collect();
    let is_year = |atom: &str| {
        atom.len() == 4
            && (atom.starts_with("19") || atom.starts_with("20"))
            && atom.chars().all(|c| c.is_ascii_digit())
    };
    for pair in atoms.windows(2) {
        if is_year(&pair[0]) && pair[1].len() == 2 {
            months.extend(
                pair[1]
                    .parse::<usize>()
                    .ok()
                    .filter(|month| (1..=12).contains(month)),
            );
        }
    }
    for atom in atoms {
        let numbers: Vec<&str> = atom.split('.').collect();
        if let [_, month, year] = numbers.as_slice()
            && matches!(year.len(), 2 | 4)
        {
            months.extend(
                month
                    .parse::<usize>()
                    .ok()
                    .filter(|month| (1..=12).contains(month)),
            );
        }
    }
    months
}

/// "first quarter" is "q1".
pub(super) fn quarter(word: &str, next: Option<&str>) -> Option<&'static str> {
    if next != Some("quarter") {
        return None;
    }
    match word {
        "first" => Some("q1"),
        "second" => Some("q2"),
        "third" => Some("q3"),
        "fourth" | "last" => Some("q4"),
        _ => None,
    }
}
