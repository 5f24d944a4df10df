//! Numbers in digits or words, what the unit behind them measures, and codes.

use super::{Value, ValueKind, adjacent, push};
use crate::offline::lexicon::lexicon;
use crate::offline::text::Word;
use crate::offline::unit_class::UnitClass;

fn is_plain_number(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '/' | '_' | ':'))
}

/// Numbers in digits or words with the unit behind them, and codes. Gives the words used.
pub(super) fn number(sentence: &str, tokens: &[Word], at: usize, found: &mut Vec<Value>) -> Option<usize> {
    let lexicon = lexicon();
    let first = &tokens[at];
    if first.digit && !is_plain_number(&first.lower) {
        let digits = first.lower.trim_end_matches(char::is_alphabetic);
        let class = lexicon
            .unit(&first.lower[digits.len()..])
            .filter(|_| is_plain_number(digits));
        match class {
            Some(class) => {
                let unit = first.lower[digits.len()..].to_owned();
                push(
                    found,
                    ValueKind::Number(class),
                    first.range.clone(),
                    plain(digits),
                    Some(unit),
                );
            }
            None => push(
                found,
                ValueKind::Code,
                first.range.clone(),
                first.lower.clone(),
                None,
            ),
        }
        return Some(1);
    }
    let mut end = at + 1;
    if first.digit {
        while tokens
            .get(end)
            .is_some_and(|next| is_plain_number(&next.lower) && adjacent(sentence, &tokens[end - 1], next))
        {
            end += 1;
        }
    } else {
        if !lexicon.is_numeral(&first.lower) {
            return None;
        }
        loop {
            let joined = usize::from(
                tokens
                    .get(end)
                    .is_some_and(|next| lexicon.joins_numerals(&next.lower)),
            );
            match tokens.get(end + joined) {
                Some(next) if lexicon.is_numeral(&next.lower) => end += joined + 1,
                _ => break,
            }
        }
    }
    let spelled: String = tokens[at..end].iter().map(|word| plain(&word.lower)).collect();
    let sign = at
        .checked_sub(1)
        .map(|before| &tokens[before])
        .filter(|word| matches!(word.lower.as_str(), "$" | "€" | "£" | "¥" | "₩"));
    let (class, unit, multiplier) = if sign.is_some() {
        (UnitClass::Money, None, None)
    } else {
        unit_after(sentence, tokens, end)
    };
    let normal = multiplier.map_or(spelled.clone(), |word| format!("{spelled} {word}"));
    push(
        found,
        ValueKind::Number(class),
        first.range.start..tokens[end - 1].range.end,
        normal,
        unit,
    );
    let n_multipliers = tokens[end..]
        .iter()
        .take_while(|word| lexicon.is_multiplier(&word.lower))
        .count();
    Some(end - at + n_multipliers)
}

fn plain(digits: &str) -> String {
    let commas = digits.matches(',').count();
    let is_thousands =
        commas > 0 && digits.split(',').skip(1).all(|group| group.len() == 3) && !digits.contains('.');
    if is_thousands {
        digits.replace(',', "")
    } else {
        digits.replace('_', "").replace(',', ".")
    }
}

/// What the words after a number measure, the unit or counted word, and a multiplier.
fn unit_after(sentence: &str, tokens: &[Word], start: usize) -> (UnitClass, Option<String>, Option<String>) {
    let lexicon = lexicon();
    let mut multiplier = None;
    let mut counted = None;
    for (step, word) in tokens[start..].iter().take(4).enumerate() {
        let previous = &tokens[start + step - usize::from(start + step > 0)];
        let between = sentence.get(previous.range.end..word.range.start).unwrap_or("");
        if between.contains([',', ';', '(', ')', '.', '|']) || (step > 0 && lexicon.is_stop(&word.lower)) {
            break;
        }
        if lexicon.is_multiplier(&word.lower) {
            multiplier = Some(word.lower.clone());
            continue;
        }
        if word.cjk {
            if let Some((unit, class)) = lexicon
                .cjk_units
                .iter()
                .find(|(unit, _)| word.lower.starts_with(unit.as_str()))
            {
                return (*class, Some(unit.clone()), multiplier);
            }
            return (UnitClass::Count, None, multiplier);
        }
        if let Some(class) = lexicon.unit(&word.lower) {
            let class = compound_class(class, &word.lower, tokens.get(start + step + 1..).unwrap_or(&[]));
            return (class, Some(word.lower.clone()), multiplier);
        }
        if lexicon.is_stop(&word.lower) {
            break;
        }
        if counted.is_none() {
            counted = Some(word.lower.clone());
        }
        if !lexicon.is_qualifier(&word.lower) {
            break;
        }
    }
    (UnitClass::Count, counted, multiplier)
}

/// "ampere hours", "kilowatt hours", "kilometres per hour", "square metres", "cubic metres".
fn compound_class(class: UnitClass, word: &str, rest: &[Word]) -> UnitClass {
    let next = rest.first().map_or("", |word| word.lower.as_str());
    let after = rest.get(1).map_or("", |word| word.lower.as_str());
    let is_hours = matches!(next, "hour" | "hours");
    let is_per_time = matches!(next, "per" | "an" | "a" | "pro" | "je")
        && lexicon().unit(after) == Some(UnitClass::Duration);
    match class {
        UnitClass::Current if is_hours => UnitClass::Charge,
        UnitClass::Power if is_hours => UnitClass::Energy,
        UnitClass::Length if is_per_time && after != "day" => UnitClass::Speed,
        _ if matches!(word, "square") => UnitClass::Area,
        _ if matches!(word, "cubic") => UnitClass::Volume,
        UnitClass::Temperature if matches!(next, "north" | "south" | "east" | "west") => UnitClass::Angle,
        other => other,
    }
}
