//! Numbers in a sentence, each with its unit and bound: [`figures`].

/// A number as a sentence states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Figure {
    /// Its digits, without separators of thousands and leading zeros.
    digits: String,
    /// The row of [`UNITS`] that its unit is in.
    unit: Option<usize>,
    bound: Option<Bound>,
}

/// On which side of a number the truth is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Upper,
    Lower,
}

impl Figure {
    /// Whether another sentence states the same number. A unit may be left out, a bound may not.
    pub(super) fn is_said_by(&self, other: &Self) -> bool {
        self.digits == other.digits
            && self.bound == other.bound
            && self.unit.is_none_or(|unit| other.unit == Some(unit))
    }
}

/// Units that measure the same, by row.
const UNITS: &[&[&str]] = &[
    &["ms", "millisecond", "milliseconds", "millisekunden"],
    &[
        "s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "秒",
    ],
    &["min", "mins", "minute", "minutes", "minuten", "分"],
    &[
        "h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "heures", "horas", "時間", "小时",
    ],
    &[
        "d", "day", "days", "tag", "tage", "tagen", "jours", "días", "日", "天",
    ],
    &["week", "weeks", "woche", "wochen", "週", "周"],
    &[
        "month", "months", "monat", "monate", "monaten", "mois", "meses", "か月", "个月",
    ],
    &["year", "years", "jahr", "jahre", "jahren", "ans", "años", "年"],
    &["byte", "bytes", "b"],
    &["kb", "kib"],
    &["mb", "mib"],
    &["gb", "gib"],
    &["tb", "tib"],
    &["mm", "millimetre", "millimetres", "millimeter", "millimeters"],
    &["cm", "centimetre", "centimetres", "centimeter", "centimeters"],
    &["m", "metre", "metres", "meter", "meters"],
    &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    &["mile", "miles", "mi"],
    &["ft", "foot", "feet"],
    &["g", "gram", "grams", "gramm"],
    &["kg", "kilogram", "kilograms", "kilogramm"],
    &["t", "ton", "tons", "tonne", "tonnes", "tonnen"],
    &["l", "litre", "litres", "liter", "liters"],
    &["ml", "millilitre", "millilitres", "milliliter", "milliliters"],
    &["%", "percent", "prozent"],
    &["$", "usd", "dollar", "dollars"],
    &["€", "eur", "euro", "euros"],
    &["£", "gbp", "pound", "pounds"],
    &["°c", "celsius"],
    &["°f", "fahrenheit"],
    &["w", "watt", "watts"],
    &["kw", "kilowatt", "kilowatts"],
    &["v", "volt", "volts"],
    &["bar"],
    &["hz", "hertz"],
];

/// Phrases before or after a number that bound it. The longer ones come first: "no more than" is an upper bound.
const BOUNDS: &[(&str, Bound)] = &[
    ("no more than", Bound::Upper),
    ("not more than", Bound::Upper),
    ("no less than", Bound::Lower),
    ("not less than", Bound::Lower),
    ("no fewer than", Bound::Lower),
    ("nicht mehr als", Bound::Upper),
    ("nicht weniger als", Bound::Lower),
    ("must not exceed", Bound::Upper),
    ("not exceed", Bound::Upper),
    ("less than", Bound::Upper),
    ("fewer than", Bound::Upper),
    ("lower than", Bound::Upper),
    ("more than", Bound::Lower),
    ("greater than", Bound::Lower),
    ("higher than", Bound::Lower),
    ("or more", Bound::Lower),
    ("or less", Bound::Upper),
    ("or fewer", Bound::Upper),
    ("at most", Bound::Upper),
    ("at least", Bound::Lower),
    ("up to", Bound::Upper),
    ("maximum", Bound::Upper),
    ("minimum", Bound::Lower),
    ("below", Bound::Upper),
    ("under", Bound::Upper),
    ("within", Bound::Upper),
    ("above", Bound::Lower),
    ("over", Bound::Lower),
    ("exceeds", Bound::Lower),
    ("exceed", Bound::Lower),
    ("höchstens", Bound::Upper),
    ("maximal", Bound::Upper),
    ("bis zu", Bound::Upper),
    ("weniger als", Bound::Upper),
    ("unter", Bound::Upper),
    ("mindestens", Bound::Lower),
    ("mehr als", Bound::Lower),
    ("über", Bound::Lower),
    ("au plus", Bound::Upper),
    ("moins de", Bound::Upper),
    ("au moins", Bound::Lower),
    ("plus de", Bound::Lower),
    ("como máximo", Bound::Upper),
    ("menos de", Bound::Upper),
    ("hasta", Bound::Upper),
    ("al menos", Bound::Lower),
    ("como mínimo", Bound::Lower),
    ("más de", Bound::Lower),
    ("最多", Bound::Upper),
    ("以下", Bound::Upper),
    ("以内", Bound::Upper),
    ("未満", Bound::Upper),
    ("最大", Bound::Upper),
    ("至少", Bound::Lower),
    ("以上", Bound::Lower),
    ("超过", Bound::Lower),
    ("最低", Bound::Lower),
];

/// Words between a bound and its number at most: "at most the first 30".
const BOUND_REACH: usize = 2;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const NUMBER_WORDS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// The number of a month by its English name or its first letters, capitalised as names are.
pub(super) fn month(word: &str) -> Option<usize> {
    let lower = word.trim_end_matches('.').to_lowercase();
    let is_capitalised = word.starts_with(char::is_uppercase);
    let found = MONTHS.iter().position(|name| {
        *name == lower || (lower.len() >= 3 && lower.len() <= 4 && name.starts_with(lower.as_str()))
    });
    found.filter(|_| is_capitalised).map(|idx| idx + 1)
}

/// A text in lower case without the phrases that bound numbers.
pub(super) fn without_bounds(text: &str) -> String {
    let mut text = text.to_owned();
    for (phrase, _) in BOUNDS {
        if text.contains(phrase) {
            text = text.replace(phrase, " ");
        }
    }
    text
}

/// The numbers of a text in order. Words from two to twelve count, and so do months.
pub(super) fn figures(text: &str) -> Vec<Figure> {
    let pieces = pieces(text);
    let lower: Vec<String> = pieces.iter().map(|piece| piece.to_lowercase()).collect();
    let mut found = Vec::new();
    for (idx, piece) in pieces.iter().enumerate() {
        let Some(digits) = digits_of(piece) else { continue };
        let unit_at = |at: Option<usize>| at.and_then(|at| lower.get(at)).and_then(|word| unit_row(word));
        let unit = unit_at(Some(idx + 1)).or_else(|| {
            let before = idx.checked_sub(1);
            unit_at(before).filter(|_| before.is_some_and(|at| "$€£".contains(lower[at].as_str())))
        });
        found.push(Figure {
            digits,
            unit,
            bound: bound_at(&lower, idx),
        });
    }
    found
}

fn unit_row(word: &str) -> Option<usize> {
    UNITS.iter().position(|row| row.contains(&word))
}

/// The bound in the words right before a number, or right after it and its unit.
fn bound_at(words: &[String], idx: usize) -> Option<Bound> {
    let is_number = |word: &&String| word.starts_with(|c: char| c.is_ascii_digit());
    let n_before = words[..idx]
        .iter()
        .rev()
        .take_while(|word| !is_number(word))
        .count();
    let before = words[idx - n_before.min(BOUND_REACH + 3)..idx].join(" ");
    let after = words[idx + 1..]
        .iter()
        .take_while(|word| !is_number(word))
        .take(3);
    let after = after.map(String::as_str).collect::<Vec<_>>().join(" ");
    let near = |text: &str, phrase: &str, from_end: bool| {
        let found = if from_end {
            text.rfind(phrase)
        } else {
            text.find(phrase)
        };
        found.is_some_and(|at| {
            let end = at + phrase.len();
            let is_word = !phrase.is_ascii()
                || (!text[..at].ends_with(char::is_alphanumeric)
                    && !text[end..].starts_with(char::is_alphanumeric));
            let between = if from_end { &text[end..] } else { &text[..at] };
            is_word && between.split_whitespace().count() <= BOUND_REACH
        })
    };
    let postfix = |phrase: &str| {
        phrase.starts_with("or ") || phrase == "at most" || phrase == "at least" || !phrase.is_ascii()
    };
    BOUNDS
        .iter()
        .find(|(phrase, _)| near(&before, phrase, true))
        .or_else(|| {
            let mut after_it = BOUNDS.iter().filter(|(phrase, _)| postfix(phrase));
            after_it.find(|(phrase, _)| near(&after, phrase, false))
        })
        .map(|(_, bound)| *bound)
}

/// Words, numbers and signs of a text, one by one; a unit that touches its number is apart from it.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        let is_digit = c.is_ascii_digit();
        if !is_digit && !c.is_alphanumeric() && !"%$€£°".contains(c) {
            continue;
        }
        while let Some(&(at, next)) = chars.peek() {
            let joins = if is_digit {
                let after = text[at + next.len_utf8()..].chars().next();
                next.is_ascii_digit() || (".,'’".contains(next) && after.is_some_and(|c| c.is_ascii_digit()))
            } else if c == '°' {
                next.is_alphabetic() && at == end
            } else {
                let is_word = c.is_alphanumeric() && (next.is_alphanumeric() || next == '_');
                is_word && (c.is_ascii() || !next.is_ascii_digit())
            };
            if !joins {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        pieces.push(&text[start..end]);
    }
    pieces
}

/// The digits of a number, a number word or a month, in one form.
fn digits_of(piece: &str) -> Option<String> {
    if let Some(month) = month(piece) {
        return Some(month.to_string());
    }
    let lower = piece.to_lowercase();
    if let Some(idx) = NUMBER_WORDS.iter().position(|word| *word == lower) {
        return (idx > 0).then(|| (idx + 1).to_string());
    }
    if !piece.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut digits = String::new();
    let mut rest = piece;
    while let Some(at) = rest.find(|c: char| !c.is_ascii_digit()) {
        digits.push_str(&rest[..at]);
        let separator = rest[at..].chars().next().map_or(1, char::len_utf8);
        rest = &rest[at + separator..];
        let n_next = rest.bytes().take_while(u8::is_ascii_digit).count();
        // Three digits after a separator are thousands, whatever the separator.
        if n_next != 3 {
            digits.push('.');
        }
    }
    digits.push_str(rest);
    let trimmed = digits.trim_start_matches('0');
    Some(if trimmed.is_empty() || trimmed.starts_with('.') {
        format!("0{trimmed}")
    } else {
        trimmed.to_owned()
    })
}
