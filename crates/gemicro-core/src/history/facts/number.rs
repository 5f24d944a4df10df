//! Finds numbers with their units.

/// Calls `found` with every number that has a unit, as it is written.
pub(super) fn numbers<'a>(line: &'a str, mut found: impl FnMut(&'a str)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + offset;
        let end = number_end(bytes, start);
        at = end;
        if !may_start(line, start) {
            // The rest of a word such as `x86`: its later digits are not numbers either.
            at += line[end..]
                .find(|letter: char| {
                    !letter.is_ascii_alphanumeric() && !matches!(letter, '.' | '_' | '-' | ':')
                })
                .unwrap_or(line.len() - end);
            continue;
        }
        let start = with_sign(line, start);
        if line[start..].starts_with(CURRENCIES) {
            found(&line[start..end]);
        } else if let Some(unit_end) = unit_end(line, end) {
            found(&line[start..unit_end]);
            at = unit_end;
        } else if line[..start].ends_with("port ") || line[..start].ends_with("Port ") {
            found(&line[start - "port ".len()..end]);
        }
    }
}

const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];

/// Digits with points, commas and underscores inside.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(byte) = bytes.get(end) {
        let goes_on = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let is_inner = matches!(byte, b'.' | b',' | b'_') && goes_on;
        if !byte.is_ascii_digit() && !is_inner {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a number may start here: not inside a word, a version or a time.
fn may_start(line: &str, start: usize) -> bool {
    let mut before = line[..start].chars().rev();
    match before.next() {
        None => true,
        Some('-' | '+' | ':' | '.' | '/' | '\u{2212}') => before
            .next()
            .is_none_or(|letter| letter.is_whitespace() || !letter.is_alphanumeric() && letter.is_ascii()),
        Some(letter) if letter.is_ascii() => {
            !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '#' | '@')
        }
        Some(_) => true,
    }
}

/// Includes a sign or currency before the number.
fn with_sign(line: &str, start: usize) -> usize {
    match line[..start].chars().next_back() {
        Some(sign) if CURRENCIES.contains(&sign) || matches!(sign, '-' | '\u{2212}' | '±') => {
            start - sign.len_utf8()
        }
        _ => start,
    }
}

/// Units that are a single letter or a symbol.
const SYMBOLS: &[&str] = &[
    "%", "‰", "°", "s", "m", "h", "d", "g", "t", "l", "L", "V", "W", "A", "K", "B", "b", "C", "F", "J", "N",
    "x", "k", "M", "G", "T", "€", "$", "£", "¥", "Ω", "µ", "μ",
];

/// Words after a number that are not units.
const NO_UNITS: &[&str] = &[
    "and",
    "or",
    "of",
    "to",
    "in",
    "is",
    "are",
    "was",
    "were",
    "the",
    "an",
    "as",
    "at",
    "by",
    "for",
    "from",
    "if",
    "it",
    "no",
    "not",
    "on",
    "out",
    "so",
    "than",
    "that",
    "then",
    "there",
    "this",
    "with",
    "but",
    "has",
    "have",
    "ok",
    "we",
    "you",
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
    "user",
    "assistant",
    "let",
    "return",
    "const",
    "if",
    "fn",
    "pub",
];

/// Chinese units, longest first.
const CHINESE_UNITS: &[&str] = &[
    "毫秒", "微秒", "小时", "分钟", "毫米", "厘米", "千米", "公里", "公斤", "千克", "兆", "个月", "个", "行",
    "天", "秒", "次", "条", "度", "元", "米", "年", "月", "日", "周", "倍", "页", "人", "台", "字节",
];

/// The end of the unit after a number: directly after it or after one space.
fn unit_end(line: &str, number_end: usize) -> Option<usize> {
    let rest = &line[number_end..];
    let blank = rest
        .chars()
        .next()
        .filter(|letter| matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'))
        .map_or(0, char::len_utf8);
    let after = &rest[blank..];
    if let Some(unit) = CHINESE_UNITS.iter().find(|unit| after.starts_with(**unit)) {
        return Some(number_end + blank + unit.len());
    }
    let length = unit_length(after)?;
    let unit = &after[..length];
    let head = unit.split('/').next().unwrap_or_default();
    let is_unit = SYMBOLS.contains(&head)
        || head.starts_with(['°', 'µ', 'μ', '%', '‰'])
        || (head.len() >= 2 && !NO_UNITS.contains(&head.to_ascii_lowercase().as_str()));
    // `0x9d65` is not an amount.
    let is_other = blank == 0 && (after.starts_with('x') || after.starts_with(['_', '-']) || length > 12);
    (is_unit && !is_other).then_some(number_end + blank + length)
}

/// Letters, degree and percent signs, optionally followed by `/s` or `·m`.
fn unit_length(after: &str) -> Option<usize> {
    let word = |text: &str| {
        text.find(|letter: char| !is_unit_letter(letter))
            .unwrap_or(text.len())
    };
    let mut length = word(after);
    if length == 0 {
        return None;
    }
    while let Some(mark) = after[length..]
        .chars()
        .next()
        .filter(|mark| matches!(mark, '/' | '·' | '^' | '²' | '³'))
    {
        let next = length + mark.len_utf8();
        let more = after[next..]
            .find(|letter: char| !is_unit_letter(letter) && !letter.is_ascii_digit())
            .unwrap_or(after.len() - next);
        if more == 0 && !matches!(mark, '²' | '³') {
            break;
        }
        length = next + more;
    }
    let continues = after[length..]
        .chars()
        .next()
        .is_some_and(|letter| letter.is_ascii_digit() || letter == '_' || letter == '(');
    (!continues).then_some(length)
}

fn is_unit_letter(letter: char) -> bool {
    letter.is_ascii_alphabetic()
        || matches!(letter, '°' | 'µ' | 'μ' | '%' | '‰' | 'Ω' | '€' | '$' | '£' | '¥' | '\u{c0}'..='\u{24f}' if letter != '×' && letter != '÷')
}
