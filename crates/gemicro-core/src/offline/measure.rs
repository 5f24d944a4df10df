//! What the number that a question asks for may measure.
//!
//! The main functions are [`quantity_classes`] for "how much …" and [`measured`] for "what … radius of". The
//! nouns are data; a noun that tells more than the wh-phrase narrows it, and never widens it.

use std::collections::HashMap;
use std::ops::Range;

use super::language::{Ask, Language};
use super::lexicon::lexicon;
use super::text::Word;
use super::unit_class::UnitClass;

/// What "how much N" is given in when nothing is known of N: an amount, never a time, way or heat.
const AMOUNTS: [UnitClass; 9] = [
    UnitClass::Mass,
    UnitClass::Volume,
    UnitClass::Percent,
    UnitClass::Money,
    UnitClass::Area,
    UnitClass::Power,
    UnitClass::Energy,
    UnitClass::Charge,
    UnitClass::Data,
];

/// What a measurable noun asks for.
pub(crate) enum MeasuredNoun {
    Date,
    /// Any number, when empty.
    Classes(Vec<UnitClass>),
}

/// The classes of "how much", "how long", "how many" and their like.
pub(crate) fn quantity_classes(
    ask: &Ask,
    text: &str,
    tokens: &[Word],
    at: &Range<usize>,
    language: &Language,
) -> Vec<UnitClass> {
    if ask.classes == [UnitClass::Count] {
        return counted_classes(tokens, at, language);
    }
    let by_degree = nouns_in(&language.degree, tokens, at, language).map(|names| classes_named(&names));
    if !ask.classes.is_empty() {
        return narrow_classes(&ask.classes, by_degree.as_deref().unwrap_or(&[]));
    }
    match measured_noun(text, tokens, at, language) {
        Some(MeasuredNoun::Classes(classes)) if !classes.is_empty() => {
            return narrow_classes(&classes, by_degree.as_deref().unwrap_or(&[]));
        }
        Some(MeasuredNoun::Classes(_) | MeasuredNoun::Date) | None => {}
    }
    let noun = amount_noun(tokens, at, language);
    match (noun, by_degree) {
        (None, _) => Vec::new(),
        (Some(_), Some(classes)) => classes,
        // "How much faster" compares.
        (Some(noun), None) if noun.ends_with("er") => Vec::new(),
        (Some(_), None) => AMOUNTS.to_vec(),
    }
}

/// "Fuel capacity": the noun before narrows what the measure may be given in.
pub(crate) fn classes_of_value(
    classes: Vec<UnitClass>,
    tokens: &[Word],
    at: &Range<usize>,
    language: &Language,
) -> Vec<UnitClass> {
    match nouns_in(&language.degree, tokens, at, language) {
        Some(names) => narrow_classes(&classes, &classes_named(&names)),
        None => classes,
    }
}

/// "How many N": a count of N; a vessel that is also a unit ("barrels") is counted or measured.
fn counted_classes(tokens: &[Word], at: &Range<usize>, language: &Language) -> Vec<UnitClass> {
    let noun_class = tokens[at.end..]
        .iter()
        .take(3)
        .take_while(|word| !language.stop.contains(&word.lower))
        .find_map(|word| lexicon().unit(&word.lower));
    match noun_class {
        Some(UnitClass::Volume) => vec![UnitClass::Volume, UnitClass::Count],
        Some(class) => vec![class],
        None => vec![UnitClass::Count],
    }
}

/// The classes that both allow; the wider ones where they share none.
fn narrow_classes(wide: &[UnitClass], narrow: &[UnitClass]) -> Vec<UnitClass> {
    let shared: Vec<UnitClass> = wide
        .iter()
        .copied()
        .filter(|class| narrow.contains(class))
        .collect();
    if shared.is_empty() { wide.to_vec() } else { shared }
}

/// The noun of "how much chlorine is …"; "how much is …" has none.
fn amount_noun<'a>(tokens: &'a [Word], at: &Range<usize>, language: &Language) -> Option<&'a str> {
    let is_much = tokens[at.clone()].iter().any(|word| word.lower == "much");
    tokens
        .get(at.end)
        .filter(|word| is_much && !language.stop.contains(&word.lower))
        .map(|word| word.lower.as_str())
}

/// The measurable noun that the wh-word asks for: "what ... radius of", "which voltage feeds".
pub(crate) fn measured_noun(
    text: &str,
    tokens: &[Word],
    at: &Range<usize>,
    language: &Language,
) -> Option<MeasuredNoun> {
    let names: Vec<String> = if tokens.iter().any(|word| word.cjk) {
        let longest = language
            .measures
            .iter()
            .filter(|(noun, _)| text.contains(noun.as_str()))
            .max_by_key(|(noun, _)| noun.len());
        longest?.1.clone()
    } else {
        nouns_in(&language.measures, tokens, at, language)?
    };
    if names.iter().any(|name| name == "date") {
        return Some(MeasuredNoun::Date);
    }
    if names.iter().any(|name| name == "number") {
        return Some(MeasuredNoun::Classes(Vec::new()));
    }
    Some(MeasuredNoun::Classes(classes_named(&names)))
}

fn classes_named(names: &[String]) -> Vec<UnitClass> {
    names
        .iter()
        .filter_map(|name| UnitClass::from_name(name))
        .collect()
}

/// What a table says of the last known noun in the phrase right behind the wh-word.
fn nouns_in(
    table: &HashMap<String, Vec<String>>,
    tokens: &[Word],
    at: &Range<usize>,
    language: &Language,
) -> Option<Vec<String>> {
    // Korean puts the noun before the wh-word.
    let after = if language.code == "ko" {
        tokens
    } else {
        &tokens[at.end..]
    };
    let mut found = None;
    let mut n_content = 0;
    for (idx, word) in after.iter().take(9).enumerate() {
        let is_stop = language.stop.contains(&word.lower);
        if word.capital && idx > 0 && language.code != "de" {
            break;
        }
        if n_content > 0 && is_stop && language.code != "ko" {
            break;
        }
        if !is_stop {
            n_content += 1;
        }
        let singular = word.lower.trim_end_matches('s');
        let by_singular = table
            .get(singular)
            .filter(|_| n_content < 2 || !is_verb_form(word, after.get(idx + 1), language));
        if let Some(names) = table.get(&word.lower).or(by_singular) {
            found = Some(names.clone());
        }
    }
    found
}

/// "What motor powers the …": behind a noun and before an article or a name, the form with an s is a verb.
fn is_verb_form(word: &Word, next: Option<&Word>, language: &Language) -> bool {
    language.code == "en"
        && word.lower.ends_with('s')
        && next.is_some_and(|next| {
            next.capital || matches!(next.lower.as_str(), "the" | "a" | "an" | "this" | "its")
        })
}
