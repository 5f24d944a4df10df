//! Parses strings: in straight quotes, or in curly quotes on both sides.
//!
//! Raw newlines and tabs are kept; other raw control characters, unknown escapes and lone surrogates are refused.

use super::reader::JsonReader;

const CURLY: [&str; 2] = ["“", "”"];

/// The opening quote, which determines the closing one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Straight,
    Curly,
}

/// Parses a key or string value.
pub(super) fn read(reader: &mut JsonReader<'_>) -> Option<String> {
    let quotes = if reader.take("\"") {
        Quotes::Straight
    } else if take_curly(reader) {
        Quotes::Curly
    } else {
        return None;
    };
    let mut text = String::new();
    loop {
        match reader.peek()? {
            b'"' => {
                return match quotes {
                    Quotes::Straight => {
                        reader.at += 1;
                        Some(text)
                    }
                    // The end of the string would be ambiguous.
                    Quotes::Curly => None,
                };
            }
            b'\\' => {
                reader.at += 1;
                text.push(read_escape(reader)?);
            }
            b'\n' | b'\t' => text.push(character(reader)?),
            control if control < b' ' => return None,
            _ if quotes == Quotes::Curly && take_curly(reader) => return Some(text),
            _ => text.push(character(reader)?),
        }
    }
}

fn take_curly(reader: &mut JsonReader<'_>) -> bool {
    CURLY.into_iter().any(|quote| reader.take(quote))
}

fn character(reader: &mut JsonReader<'_>) -> Option<char> {
    let character = reader.rest().chars().next()?;
    reader.at += character.len_utf8();
    Some(character)
}

fn read_escape(reader: &mut JsonReader<'_>) -> Option<char> {
    let meant = match reader.peek()? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            reader.at += 1;
            return unicode(reader);
        }
        _ => return None,
    };
    reader.at += 1;
    Some(meant)
}

/// Parses four hex digits, or a surrogate pair.
fn unicode(reader: &mut JsonReader<'_>) -> Option<char> {
    let first = four_digits(reader)?;
    if !(0xd800..0xdc00).contains(&first) {
        // A lone second half is not a character.
        return char::from_u32(first);
    }
    if !reader.take("\\u") {
        return None;
    }
    let second = four_digits(reader)?;
    if !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
}

fn four_digits(reader: &mut JsonReader<'_>) -> Option<u32> {
    let mut code = 0;
    for _ in 0..4 {
        let digit = char::from(reader.peek()?).to_digit(16)?;
        code = code * 16 + digit;
        reader.at += 1;
    }
    Some(code)
}
