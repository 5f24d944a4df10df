//! Dates: days with a month in words or as `YYYY-MM-DD`, years, weekdays, clock times.

use super::{Value, ValueKind, adjacent, push};
use crate::offline::lexicon::lexicon;
use crate::offline::text::Word;

fn is_year(word: &Word) -> bool {
    word.lower.len() == 4
        && word.lower.chars().all(|c| c.is_ascii_digit())
        && ("1000".."2200").contains(&word.lower.as_str())
}

fn is_day_number(word: &Word) -> bool {
    let digits = word.lower.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
    (1..=2).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit()) && digits != "0"
}

fn push_date(found: &mut Vec<Value>, word: &Word) {
    push(
        found,
        ValueKind::Date,
        word.range.clone(),
        word.lower.clone(),
        None,
    );
}

/// Dates with a month in words or as `YYYY-MM-DD`, years, weekdays, clock times. Gives the words used.
pub(super) fn date(sentence: &str, tokens: &[Word], at: usize, found: &mut Vec<Value>) -> Option<usize> {
    let lexicon = lexicon();
    let month_at = |idx: usize| {
        tokens
            .get(idx)
            .filter(|word| word.capital || idx > at || word.lower.len() > 3)
            .and_then(|word| lexicon.month(&word.lower))
    };
    let first = &tokens[at];
    let iso: Vec<&str> = first.lower.split('-').collect();
    if iso.len() == 3
        && iso[0].len() == 4
        && iso
            .iter()
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    {
        push_date(found, first);
        return Some(1);
    }
    if first.lower.contains(':') && first.digit && !first.lower.chars().any(char::is_alphabetic) {
        push_date(found, first);
        return Some(1);
    }
    let next = tokens
        .get(at + 1)
        .filter(|word| word.cjk && word.range.start == first.range.end);
    if let Some(next) = next.filter(|_| first.digit) {
        let is_span = ["年间", "年間", "月间", "日間", "日间", "时间", "時間"]
            .iter()
            .any(|span| next.lower.starts_with(span));
        let is_calendar = next.lower.starts_with(['月', '日', '时', '時', '点'])
            || next.lower.starts_with('年') && is_year(first);
        if is_calendar && !is_span {
            push_date(found, first);
            return Some(1);
        }
    }
    if let Some(used) = clock(sentence, tokens, at) {
        let last = &tokens[at + used - 1];
        let normal: Vec<&str> = tokens[at..at + used]
            .iter()
            .map(|word| word.lower.as_str())
            .collect();
        push(
            found,
            ValueKind::Date,
            first.range.start..last.range.end,
            normal.join(" "),
            None,
        );
        return Some(used);
    }
    let mut parts = Vec::new();
    let mut used = 0;
    if is_day_number(first) {
        let of = usize::from(
            tokens
                .get(at + 1)
                .is_some_and(|word| word.lower == "of" || word.lower == "de"),
        );
        let month = month_at(at + 1 + of)?;
        parts.push(format!(
            "{month:02}-{:0>2}",
            first.lower.trim_end_matches(char::is_alphabetic)
        ));
        used = 2 + of;
    } else if let Some(month) = month_at(at).filter(|_| first.capital || first.lower.len() > 3) {
        used = 1;
        let day = tokens
            .get(at + 1)
            .filter(|word| is_day_number(word) && adjacent(sentence, first, word));
        let unit_follows = tokens
            .get(at + 2)
            .is_some_and(|word| lexicon.unit(&word.lower).is_some());
        if let Some(day) = day.filter(|_| !unit_follows) {
            parts.push(format!(
                "{month:02}-{:0>2}",
                day.lower.trim_end_matches(char::is_alphabetic)
            ));
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
        push(
            found,
            ValueKind::Date,
            first.range.start..tokens[at + used - 1].range.end,
            parts.join("-"),
            None,
        );
        return Some(used);
    }
    let next_is_unit = tokens.get(at + 1).is_some_and(|word| {
        adjacent(sentence, first, word)
            && (lexicon.unit(&word.lower).is_some() || lexicon.is_qualifier(&word.lower))
    });
    if is_year(first) && !next_is_unit && year_position(tokens, at) {
        push_date(found, first);
        return Some(1);
    }
    if lexicon.is_day(&first.lower) {
        push_date(found, first);
        return Some(1);
    }
    None
}

/// "6 pm", "six o'clock", "18 Uhr", "여섯 시", "6시": the words of a full hour.
fn clock(sentence: &str, tokens: &[Word], at: usize) -> Option<usize> {
    let first = &tokens[at];
    let hour = first
        .lower
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_joined = first.digit && hour.len() < first.lower.len();
    if is_joined && (matches!(hour, "am" | "pm") || is_korean_hour(hour)) {
        return Some(1);
    }
    let next = tokens
        .get(at + 1)
        .filter(|next| adjacent(sentence, first, next))?;
    let is_number = is_day_number(first)
        || first.digit && hour.is_empty()
        || lexicon().is_numeral(&first.lower)
        || matches!(first.lower.as_str(), "one" | "한" | "두");
    let is_hour = matches!(next.lower.as_str(), "am" | "pm" | "o'clock" | "o’clock" | "uhr")
        || is_korean_hour(&next.lower);
    // "p.m." is cut at its points.
    let is_dotted = matches!(next.lower.as_str(), "a" | "p") && sentence[next.range.end..].starts_with(".m");
    (is_number && (is_hour || is_dotted)).then_some(2)
}

fn is_korean_hour(word: &str) -> bool {
    word.starts_with('시') && !word.starts_with("시간")
}

/// A year stands after "in", "since", "of" and the like, or after a bracket; "port 1990" is no year.
fn year_position(tokens: &[Word], at: usize) -> bool {
    at == 0
        || lexicon().is_stop(&tokens[at - 1].lower)
        || lexicon().is_day(&tokens[at - 1].lower)
        || tokens[at - 1].lower == "year"
}
