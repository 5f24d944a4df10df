//! Reads times of day in messages: `resets 3pm`, `resets Nov 20, 3pm`, `try again at Nov 20th, 2026 3:05 PM`.
//!
//! CLIs print them in their own time zone, which is that of `now`. `(UTC)` after a time is respected; other zone names
//! are assumed to mean the same zone.

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveTime, Offset, TimeZone, Utc};

const LEADS: &[&str] = &[
    "resets at ",
    "reset at ",
    "resets on ",
    "resets ",
    "try again at ",
    "try again on ",
];
const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Returns the milliseconds until the time in a lower-case text.
pub(super) fn wait_ms(text: &str, now: DateTime<FixedOffset>) -> Option<u64> {
    LEADS
        .iter()
        .find_map(|lead| text.split(lead).skip(1).find_map(|rest| moment_wait(rest, now)))
}

fn moment_wait(text: &str, now: DateTime<FixedOffset>) -> Option<u64> {
    let words: Vec<&str> = text
        .split([' ', ','])
        .filter(|word| !word.is_empty() && !["at", "on"].contains(word))
        .take(5)
        .collect();
    if let Some(moment) = words.first().and_then(|word| rfc_3339(word)) {
        return Some(ms_between(now, moment));
    }
    let is_utc = text
        .split('(')
        .nth(1)
        .is_some_and(|zone| zone.starts_with("utc") || zone.starts_with("gmt"));
    let zone = if is_utc { Utc.fix() } else { *now.offset() };
    let here = now.with_timezone(&zone);
    let (date, words) = date(&words, here.date_naive())?;
    let time = time(words)?;
    let at = |day: NaiveDate| zone.from_local_datetime(&day.and_time(time)).single();
    let moment = match date {
        Some(day) => at(day)?,
        // A time that has passed today means tomorrow.
        None => match at(here.date_naive())? {
            today if today > now => today,
            _ => at(here.date_naive().checked_add_days(Days::new(1))?)?,
        },
    };
    Some(ms_between(now, moment))
}

fn ms_between(now: DateTime<FixedOffset>, moment: DateTime<FixedOffset>) -> u64 {
    u64::try_from((moment - now).num_milliseconds()).unwrap_or(0)
}

fn rfc_3339(word: &str) -> Option<DateTime<FixedOffset>> {
    let word = word.trim_end_matches(['.', ')', ']', '"']);
    DateTime::parse_from_rfc3339(&word.to_uppercase()).ok()
}

/// Splits `nov 20th 2026 …` into the date and the remaining words; without a month there is no date.
fn date<'w, 't>(words: &'w [&'t str], today: NaiveDate) -> Option<(Option<NaiveDate>, &'w [&'t str])> {
    let Some(month) = words.first().and_then(|word| month(word)) else {
        return Some((None, words));
    };
    let day = leading_number(words.get(1)?)?;
    let year = words
        .get(2)
        .filter(|word| word.len() == 4)
        .and_then(|word| word.parse().ok());
    let behind = if year.is_some() { 3 } else { 2 };
    let found = NaiveDate::from_ymd_opt(year.unwrap_or(today.year()), month, day)?;
    // A date that has passed this year means next year.
    let found = match year {
        None if found < today => found.with_year(today.year() + 1)?,
        _ => found,
    };
    Some((Some(found), words.get(behind..).unwrap_or_default()))
}

fn month(word: &str) -> Option<u32> {
    let start = word.get(..3)?;
    let is_word = word.chars().all(|c| c.is_ascii_alphabetic() || c == '.');
    let idx = MONTHS.iter().position(|month| is_word && *month == start)?;
    u32::try_from(idx + 1).ok()
}

fn leading_number(word: &str) -> Option<u32> {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    word.get(..end)?.parse().ok()
}

/// Parses `3pm`, `3:05 pm` or `15:00`.
fn time(words: &[&str]) -> Option<NaiveTime> {
    let first = words.first()?.trim_end_matches(['.', ')', ';', '∙', '·']);
    let second = words
        .get(1)
        .map_or("", |word| word.trim_end_matches(['.', ')', ';']));
    let (clock, half) = match (first.strip_suffix("pm"), first.strip_suffix("am")) {
        (Some(clock), _) => (clock, "pm"),
        (None, Some(clock)) => (clock, "am"),
        (None, None) => (first, second),
    };
    let (hour, minute) = match clock.split_once(':') {
        Some((hour, minute)) => (hour.parse::<u32>().ok()?, leading_number(minute)?),
        None if ["am", "pm"].contains(&half) => (clock.parse().ok()?, 0),
        // A bare number is not a time of day.
        None => return None,
    };
    let hour = match half {
        "pm" if hour < 12 => hour + 12,
        "am" if hour == 12 => 0,
        _ => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}
