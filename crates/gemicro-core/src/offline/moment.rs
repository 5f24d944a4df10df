//! Which part of a date or a clock a question asks for, and which part a value gives.
//!
//! The main type is [`Moment`]. A year is no answer to "at what time", and a season is hardly ever one.

use std::ops::Range;

use serde::Deserialize;

use super::language::Language;
use super::text::Word;

/// What "when", "which year", "at what time" ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Moment {
    /// Any date or time.
    Any,
    /// Any date or time, or how long there is.
    Deadline,
    Year,
    Month,
    /// A day of a month.
    Date,
    /// A day of a month or of the week.
    Day,
    Weekday,
    Clock,
    Season,
}

/// What a date value gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Year,
    Month,
    MonthOfYear,
    Day,
    DayOfYear,
    Clock,
    Season,
    /// A weekday, a feast, "daily".
    Named,
}

impl Moment {
    /// Reads the wh-phrase: "which year", "at what time".
    pub(crate) fn asked(tokens: &[Word], ask: &Range<usize>, language: &Language) -> Self {
        let found = tokens[ask.clone()]
            .iter()
            .rev()
            .find_map(|word| language.moments.get(&word.lower).copied());
        // "At what time of year" asks for no clock.
        let is_of_year = tokens.get(ask.end).is_some_and(|word| word.lower == "of");
        match found {
            Some(Self::Clock) if is_of_year => Self::Any,
            Some(moment) => moment,
            None => Self::Any,
        }
    }

    /// Reads the noun behind a bare wh-word: "what is the order deadline", "which … date".
    pub(crate) fn of_noun(tokens: &[Word], ask: &Range<usize>, language: &Language) -> Self {
        let mut moment = Self::Any;
        let mut n_content = 0;
        for word in tokens.iter().skip(ask.end).take(5) {
            let is_stop = language.stop.contains(&word.lower);
            if word.capital && language.code != "de" || is_stop && n_content > 0 {
                break;
            }
            n_content += usize::from(!is_stop);
            if let Some(found) = language.moments.get(&word.lower) {
                moment = *found;
            }
        }
        moment
    }

    pub(crate) fn is_met_by(self, shape: Shape) -> bool {
        match self {
            Self::Any | Self::Deadline => true,
            Self::Year => matches!(shape, Shape::Year | Shape::DayOfYear | Shape::MonthOfYear),
            Self::Month => matches!(
                shape,
                Shape::Month | Shape::MonthOfYear | Shape::Day | Shape::DayOfYear
            ),
            Self::Date => matches!(shape, Shape::Day | Shape::DayOfYear),
            Self::Day => matches!(shape, Shape::Day | Shape::DayOfYear | Shape::Named),
            Self::Weekday => shape == Shape::Named,
            Self::Clock => shape == Shape::Clock,
            Self::Season => matches!(shape, Shape::Season | Shape::Month),
        }
    }
}

impl Shape {
    /// The shape of a date value in the form in which dates are compared.
    pub(crate) fn of(normal: &str) -> Self {
        let is_joined = normal.starts_with(|c: char| c.is_ascii_digit()) && normal.ends_with('m');
        if normal.contains(':') || is_joined || CLOCK_ENDINGS.iter().any(|ending| normal.ends_with(ending)) {
            return Self::Clock;
        }
        if SEASONS.contains(&normal) {
            return Self::Season;
        }
        let lengths: Vec<usize> = normal.split('-').map(str::len).collect();
        if !normal.chars().all(|c| c.is_ascii_digit() || c == '-') {
            return Self::Named;
        }
        match lengths.as_slice() {
            [4] => Self::Year,
            [4, 2] => Self::MonthOfYear,
            [4, _, _] => Self::DayOfYear,
            [_, _] => Self::Day,
            _ => Self::Month,
        }
    }

    /// A season or a weekday: seldom the date that "when" asks for.
    pub(crate) fn is_vague(self) -> bool {
        matches!(self, Self::Season | Self::Named)
    }

    /// Two values of these shapes can disagree.
    pub(crate) fn rivals(self, other: Self) -> bool {
        let is_clock = |shape| shape == Self::Clock;
        is_clock(self) == is_clock(other) && self.is_vague() == other.is_vague()
    }
}

const CLOCK_ENDINGS: [&str; 8] = ["noon", "midnight", " am", " pm", " a", " p", "o'clock", "uhr"];
const SEASONS: [&str; 16] = [
    "spring",
    "summer",
    "autumn",
    "winter",
    "frühling",
    "frühjahr",
    "sommer",
    "herbst",
    "printemps",
    "été",
    "automne",
    "hiver",
    "primavera",
    "verano",
    "otoño",
    "invierno",
];
