//! Finds the date that a document states for itself: [`near_top`] and [`find`].
//!
//! A date counts only among the first lines, on a line with little else, such as `- date: 2031-05-04` or
//! `*11 December 2030*`. A date inside a sentence is about something else.

/// Number of lines from the top that are searched.
const N_TOP_LINES: usize = 15;
/// Maximum amount of other text on the line: words, and letters or digits.
const MAX_OTHER_WORDS: usize = 4;
const MAX_OTHER_CHARS: usize = 30;

/// Month names by number, in lower case: English, German, French, Spanish, and common short forms.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner", "janvier", "enero"],
    &["february", "feb", "februar", "février", "fevrier", "febrero"],
    &["march", "mar", "märz", "maerz", "mars", "marzo"],
    &["april", "apr", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "jun", "juni", "juin", "junio"],
    &["july", "jul", "juli", "juillet", "julio"],
    &["august", "aug", "août", "aout", "agosto"],
    &["september", "sept", "sep", "septembre", "septiembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre"],
    &["november", "nov", "novembre", "noviembre"],
    &[
        "december",
        "dec",
        "dezember",
        "dez",
        "décembre",
        "decembre",
        "diciembre",
    ],
];

/// The first date line among the first lines of a text.
pub(super) fn near_top(text: &str) -> Option<String> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .take(N_TOP_LINES)
        .find_map(in_line)
}

/// The date of a line that is about nothing else.
pub(super) fn in_line(line: &str) -> Option<String> {
    if line.len() > 400 {
        return None;
    }
    let (date, start, end) = find_in(line)?;
    let others = [&line[..start], &line[end..]];
    let n_words: usize = others
        .iter()
        .map(|part| {
            part.split_whitespace()
                .filter(|word| has_alphanumeric(word))
                .count()
        })
        .sum();
    let n_chars: usize = others
        .iter()
        .map(|part| part.chars().filter(|c| c.is_alphanumeric()).count())
        .sum();
    (n_words <= MAX_OTHER_WORDS && n_chars <= MAX_OTHER_CHARS && dates_the_document(others[0]))
        .then_some(date)
}

/// Words before a colon that show that the date is not the document's own.
const OTHER_KEYS: [&str; 22] = [
    "deadline",
    "due",
    "expir",
    "until",
    "valid",
    "born",
    "birth",
    "start",
    "end",
    "begin",
    "close",
    "open",
    "frist",
    "fällig",
    "ablauf",
    "geburt",
    "plazo",
    "échéance",
    "截止",
    "締切",
    "期限",
    "마감",
];

fn dates_the_document(before: &str) -> bool {
    match before.rsplit_once([':', '：']) {
        None => true,
        Some((key, _)) => {
            let key = key.to_lowercase();
            !OTHER_KEYS.iter().any(|other| key.contains(other))
        }
    }
}

/// The first date anywhere in a short text, such as the value of an attribute.
pub(super) fn find(text: &str) -> Option<String> {
    find_in(text).map(|(date, _, _)| date)
}

fn has_alphanumeric(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// A date with its start and end.
fn find_in(text: &str) -> Option<(String, usize, usize)> {
    let mut previous = ' ';
    for (start, c) in text.char_indices() {
        if c.is_alphanumeric() && !previous.is_ascii_alphanumeric() {
            let rest = &text[start..];
            let found = year_first(rest)
                .or_else(|| day_first(rest))
                .or_else(|| month_first(rest));
            if let Some((year, month, day, len)) = found {
                let plausible =
                    (1800..=2199).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
                if plausible {
                    return Some((format!("{year:04}-{month:02}-{day:02}"), start, start + len));
                }
            }
        }
        previous = c;
    }
    None
}

/// The unread rest of a text that is parsed from its front.
struct Cursor<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn new(whole: &'a str) -> Self {
        Self { whole, rest: whole }
    }

    fn number(&mut self, n_digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
        let n = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if !n_digits.contains(&n) {
            return None;
        }
        let (digits, rest) = self.rest.split_at(n);
        self.rest = rest;
        digits.parse().ok()
    }

    fn one_of(&mut self, marks: &[&'static str]) -> Option<&'static str> {
        let mark = marks.iter().find(|mark| self.rest.starts_with(**mark))?;
        self.rest = &self.rest[mark.len()..];
        Some(mark)
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn month(&mut self) -> Option<u32> {
        let n = self
            .rest
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(n);
        let word = word.to_lowercase();
        let idx = MONTHS.iter().position(|names| names.contains(&word.as_str()))?;
        self.rest = rest;
        u32::try_from(idx + 1).ok()
    }

    fn len(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    fn at_digit(&self) -> bool {
        self.rest.starts_with(|c: char| c.is_ascii_digit())
    }
}

type DateMatch = (u32, u32, u32, usize);

/// `2031-05-04`, `2031/5/4`, `2031.05.04`, `2031年5月4日`, `2031년 5월 4일`.
fn year_first(text: &str) -> Option<DateMatch> {
    let mut cursor = Cursor::new(text);
    let year = cursor.number(4..=4)?;
    cursor.blanks();
    let mark = cursor.one_of(&["-", "/", ".", "年", "년"])?;
    cursor.blanks();
    let month = cursor.number(1..=2)?;
    cursor.blanks();
    let second = match mark {
        "年" => "月",
        "년" => "월",
        same => same,
    };
    cursor.one_of(&[second])?;
    cursor.blanks();
    let day = cursor.number(1..=2)?;
    if !cursor.at_digit() {
        cursor.one_of(&["日", "일"]);
        return Some((year, month, day, cursor.len()));
    }
    None
}

/// `11 December 2030`, `4. Mai 2031`, `4th of May, 2031`, `4 de mayo de 2031`, `04.05.2031`.
fn day_first(text: &str) -> Option<DateMatch> {
    let mut cursor = Cursor::new(text);
    let day = cursor.number(1..=2)?;
    let mark = cursor.one_of(&[".", "st", "nd", "rd", "th", "er"]);
    if mark == Some(".") && cursor.at_digit() {
        let month = cursor.number(1..=2)?;
        cursor.one_of(&["."])?;
        let year = cursor.number(4..=4)?;
        return (!cursor.at_digit()).then(|| (year, month, day, cursor.len()));
    }
    cursor.blanks();
    cursor.one_of(&["of ", "de ", "-"]);
    cursor.blanks();
    let month = cursor.month()?;
    cursor.one_of(&[".", ",", "-"]);
    cursor.blanks();
    cursor.one_of(&["de ", "del "]);
    let year = cursor.number(4..=4)?;
    (!cursor.at_digit()).then(|| (year, month, day, cursor.len()))
}

/// `May 4, 2031` and `May 4th 2031`.
fn month_first(text: &str) -> Option<DateMatch> {
    let mut cursor = Cursor::new(text);
    let month = cursor.month()?;
    cursor.one_of(&["."]);
    cursor.blanks();
    let day = cursor.number(1..=2)?;
    cursor.one_of(&["st", "nd", "rd", "th"]);
    cursor.one_of(&[","]);
    cursor.blanks();
    let year = cursor.number(4..=4)?;
    (!cursor.at_digit()).then(|| (year, month, day, cursor.len()))
}
