//! Finds the values in a sentence: numbers with their units, dates, codes and names.
//!
//! The main function is [`values`]. A value inside round brackets is an aside ("figure of 3 May") and is
//! marked as such. What a question expects of a value is decided in `expected`.

use std::ops::Range;

use super::lexicon::{UnitClass, lexicon};
use super::text::{Word, is_cjk, words};

/// What kind of value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueKind {
    /// A number, with what its unit measures; a number of things is a count.
    Number(UnitClass),
    /// A day, month, year, weekday or time of day.
    Date,
    /// A word with digits, such as a form or a gate.
    Code,
    /// Words with capitals.
    Name,
}

/// A value in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) kind: ValueKind,
    /// Byte range in the sentence, without the unit.
    pub(crate) range: Range<usize>,
    /// The form in which two values are compared.
    pub(crate) normal: String,
    /// The word after a number: its unit or the things counted.
    pub(crate) unit: Option<String>,
    /// It stands in round brackets.
    pub(crate) aside: bool,
}

/// All values of a sentence in reading order; words inside `skip` (the subject) are left out.
pub(crate) fn values(sentence: &str, skip: &[Range<usize>]) -> Vec<Value> {
    let tokens = words(sentence);
    let mut found = Vec::new();
    let mut word_idx = 0;
    while word_idx < tokens.len() {
        let token = &tokens[word_idx];
        if skip.iter().any(|range| range.start <= token.range.start && token.range.end <= range.end) {
            word_idx += 1;
            continue;
        }
        if token.cjk {
            cjk_values(sentence, token, &mut found);
            word_idx += 1;
            continue;
        }
        let taken = date(sentence, &tokens, word_idx, &mut found)
            .or_else(|| number(sentence, &tokens, word_idx, &mut found))
            .or_else(|| name(sentence, &tokens, word_idx, skip, &mut found));
        word_idx += taken.unwrap_or(1);
    }
    for value in &mut found {
        value.aside = in_brackets(sentence, value.range.start);
    }
    found
}

fn in_brackets(sentence: &str, at: usize) -> bool {
    let before = &sentence[..at];
    before.matches(['(', '（']).count() > before.matches([')', '）']).count()
}

fn push(found: &mut Vec<Value>, kind: ValueKind, range: Range<usize>, normal: String, unit: Option<String>) {
    found.push(Value { kind, range, normal, unit, aside: false });
}

/// Only blanks stand between two words.
pub(crate) fn adjacent(sentence: &str, left: &Word, right: &Word) -> bool {
    sentence[left.range.end..right.range.start].chars().all(|c| c.is_whitespace() || c == '*' || c == '_')
}

fn is_year(word: &Word) -> bool {
    word.lower.len() == 4 && word.lower.chars().all(|c| c.is_ascii_digit()) && ("1000".."2200").contains(&word.lower.as_str())
}

fn is_day_number(word: &Word) -> bool {
    let digits = word.lower.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
    (1..=2).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit()) && digits != "0"
}

/// Dates with a month in words or as `YYYY-MM-DD`, years, weekdays, clock times. Gives the words used.
fn date(sentence: &str, tokens: &[Word], at: usize, found: &mut Vec<Value>) -> Option<usize> {
    let lexicon = lexicon();
    let month_at = |idx: usize| tokens.get(idx).filter(|word| word.capital || idx > at || word.lower.len() > 3).and_then(|word| lexicon.month(&word.lower));
    let first = &tokens[at];
    let iso: Vec<&str> = first.lower.split('-').collect();
    if iso.len() == 3 && iso[0].len() == 4 && iso.iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit())) {
        push(found, ValueKind::Date, first.range.clone(), first.lower.clone(), None);
        return Some(1);
    }
    if first.lower.contains(':') && first.digit && !first.lower.chars().any(char::is_alphabetic) {
        push(found, ValueKind::Date, first.range.clone(), first.lower.clone(), None);
        return Some(1);
    }
    let mut parts = Vec::new();
    let mut used = 0;
    if is_day_number(first) {
        let of = usize::from(tokens.get(at + 1).is_some_and(|word| word.lower == "of" || word.lower == "de"));
        let month = month_at(at + 1 + of)?;
        parts.push(format!("{month:02}-{:0>2}", first.lower.trim_end_matches(char::is_alphabetic)));
        used = 2 + of;
    } else if let Some(month) = month_at(at).filter(|_| first.capital || first.lower.len() > 3) {
        used = 1;
        let day = tokens.get(at + 1).filter(|word| is_day_number(word) && adjacent(sentence, first, word));
        let unit_follows = tokens.get(at + 2).is_some_and(|word| lexicon.unit(&word.lower).is_some());
        if let Some(day) = day.filter(|_| !unit_follows) {
            parts.push(format!("{month:02}-{:0>2}", day.lower.trim_end_matches(char::is_alphabetic)));
            used = 2;
        } else {
            parts.push(format!("{month:02}"));
        }
    }
    if used > 0 {
        if let Some(year) = tokens.get(at + used).filter(|word| is_year(word)) {
            parts.insert(0, year.lower.clone());
            used += 1;
        }
        push(found, ValueKind::Date, first.range.start..tokens[at + used - 1].range.end, parts.join("-"), None);
        return Some(used);
    }
    let next_is_unit = tokens.get(at + 1).is_some_and(|word| adjacent(sentence, first, word) && (lexicon.unit(&word.lower).is_some() || lexicon.is_qualifier(&word.lower)));
    if is_year(first) && !next_is_unit && !next_counts(sentence, tokens, at) && year_position(tokens, at) {
        push(found, ValueKind::Date, first.range.clone(), first.lower.clone(), None);
        return Some(1);
    }
    if lexicon.is_day(&first.lower) {
        push(found, ValueKind::Date, first.range.clone(), first.lower.clone(), None);
        return Some(1);
    }
    None
}

/// A plain word right after a four-digit number makes it a count ("1890 tonnes", "1940 letters").
fn next_counts(sentence: &str, tokens: &[Word], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| {
        adjacent(sentence, &tokens[at], next) && !next.capital && !next.digit && !lexicon().is_stop(&next.lower) && next.lower.ends_with('s')
    })
}

/// A year stands after "in", "since", "of" and the like, or after a bracket; "port 1990" is no year.
fn year_position(tokens: &[Word], at: usize) -> bool {
    at == 0 || lexicon().is_stop(&tokens[at - 1].lower) || lexicon().is_day(&tokens[at - 1].lower) || tokens[at - 1].lower == "year"
}

fn is_plain_number(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '/' | '_' | ':'))
}

/// Numbers in digits or words with the unit behind them, and codes. Gives the words used.
fn number(sentence: &str, tokens: &[Word], at: usize, found: &mut Vec<Value>) -> Option<usize> {
    let lexicon = lexicon();
    let first = &tokens[at];
    if first.digit && !is_plain_number(&first.lower) {
        let digits = first.lower.trim_end_matches(char::is_alphabetic);
        let class = lexicon.unit(&first.lower[digits.len()..]).filter(|_| is_plain_number(digits));
        match class {
            Some(class) => {
                let unit = first.lower[digits.len()..].to_owned();
                push(found, ValueKind::Number(class), first.range.clone(), plain(digits), Some(unit));
            }
            None => push(found, ValueKind::Code, first.range.clone(), first.lower.clone(), None),
        }
        return Some(1);
    }
    let mut end = at + 1;
    if first.digit {
        while tokens.get(end).is_some_and(|next| is_plain_number(&next.lower) && adjacent(sentence, &tokens[end - 1], next)) {
            end += 1;
        }
    } else {
        if !lexicon.is_numeral(&first.lower) {
            return None;
        }
        loop {
            let joined = usize::from(tokens.get(end).is_some_and(|next| lexicon.joins_numerals(&next.lower)));
            match tokens.get(end + joined) {
                Some(next) if lexicon.is_numeral(&next.lower) => end += joined + 1,
                _ => break,
            }
        }
    }
    let spelled: String = tokens[at..end].iter().map(|word| plain(&word.lower)).collect();
    let sign = at.checked_sub(1).map(|before| &tokens[before]).filter(|word| matches!(word.lower.as_str(), "$" | "€" | "£" | "¥" | "₩"));
    let (class, unit, multiplier) = if sign.is_some() { (UnitClass::Money, None, None) } else { unit_after(sentence, tokens, end) };
    let normal = multiplier.map_or(spelled.clone(), |word| format!("{spelled} {word}"));
    push(found, ValueKind::Number(class), first.range.start..tokens[end - 1].range.end, normal, unit);
    Some(end - at)
}

fn plain(digits: &str) -> String {
    let commas = digits.matches(',').count();
    let is_thousands = commas > 0 && digits.split(',').skip(1).all(|group| group.len() == 3) && !digits.contains('.');
    if is_thousands { digits.replace(',', "") } else { digits.replace('_', "").replace(',', ".") }
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
            if let Some((unit, class)) = lexicon.cjk_units.iter().find(|(unit, _)| word.lower.starts_with(unit.as_str())) {
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
    let is_per_time = matches!(next, "per" | "an" | "a" | "pro" | "je") && lexicon().unit(after) == Some(UnitClass::Duration);
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

/// A run of words with capitals; a single capital at the start of a sentence says nothing.
fn name(sentence: &str, tokens: &[Word], at: usize, skip: &[Range<usize>], found: &mut Vec<Value>) -> Option<usize> {
    let lexicon = lexicon();
    let is_part = |word: &Word| {
        word.capital && !lexicon.is_stop(&word.lower) && !skip.iter().any(|range| range.contains(&word.range.start))
    };
    let first = &tokens[at];
    if !is_part(first) {
        return None;
    }
    let mut end = at + 1;
    while tokens.get(end).is_some_and(|word| (is_part(word) || is_code_like(word)) && adjacent(sentence, &tokens[end - 1], word)) {
        end += 1;
    }
    let opens = at == 0 || sentence[tokens[at - 1].range.end..first.range.start].contains([':', '.', '!', '?', '“', '"']);
    let start = if end - at > 1 && lexicon.is_title(&first.lower) { at + 1 } else { at };
    if opens && end - start == 1 && start == at {
        return Some(end - at);
    }
    let normal = tokens[start..end].iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
    push(found, ValueKind::Name, tokens[start].range.start..tokens[end - 1].range.end, normal, None);
    Some(end - at)
}

fn is_code_like(word: &Word) -> bool {
    word.digit && word.lower.len() <= 6
}

/// Numbers and dates in a run of Chinese or Japanese characters.
fn cjk_values(sentence: &str, token: &Word, found: &mut Vec<Value>) {
    let lexicon = lexicon();
    let text = &sentence[token.range.clone()];
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut at = 0;
    while at < chars.len() {
        let rest = &text[chars[at].0..];
        if let Some(day) = lexicon.cjk_days.iter().find(|day| rest.starts_with(day.as_str())) {
            let start = token.range.start + chars[at].0;
            push(found, ValueKind::Date, start..start + day.len(), day.clone(), None);
            at += day.chars().count();
            continue;
        }
        let n_numerals = chars[at..].iter().take_while(|(_, c)| lexicon.is_numeral_character(*c)).count();
        if n_numerals == 0 {
            at += 1;
            continue;
        }
        let end = chars.get(at + n_numerals).map_or(text.len(), |(offset, _)| *offset);
        let range = token.range.start + chars[at].0..token.range.start + end;
        let tail = &text[end..];
        let unit = lexicon.cjk_units.iter().find(|(unit, _)| tail.starts_with(unit.as_str()));
        let is_counted = tail.chars().next().is_some_and(|c| COUNTERS.contains(c));
        let normal = text[chars[at].0..end].to_owned();
        let is_calendar = tail.starts_with(['月', '年', '时', '時', '点', '號', '号']) && !tail.starts_with("年间") && !tail.starts_with("年間");
        if is_calendar || (tail.starts_with('日') && text[..chars[at].0].ends_with('月')) {
            push(found, ValueKind::Date, range, normal, None);
        } else if let Some((unit, class)) = unit {
            push(found, ValueKind::Number(*class), range, normal, Some(unit.clone()));
        } else if n_numerals >= 2 || is_counted {
            push(found, ValueKind::Number(UnitClass::Count), range, normal, tail.chars().next().filter(|c| is_cjk(*c)).map(String::from));
        }
        at += n_numerals;
    }
}

/// Characters that count things after a Chinese or Japanese numeral.
const COUNTERS: &str = "人名冊册台本個个件回枚頭匹隻只辆輛条條艘座间間张張种種位棵株羽室曲基家所把套艇箱袋桶瓶点點級级层層階卷幅尊口株颗";
