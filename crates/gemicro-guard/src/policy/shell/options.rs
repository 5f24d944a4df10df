//! Reads a wrapper's own options, to find the word where the wrapped command starts.

use super::word::ShellWord;

/// The options of one program.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgramOptions {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, in the same word or the next.
    pub(super) valued: &'static str,
    /// Letters with an optional value, in the same word only.
    pub(super) attached: &'static str,
    /// Long names without a value.
    pub(super) long_flags: &'static [&'static str],
    /// Long names with a value.
    pub(super) long_valued: &'static [&'static str],
}

/// One option that was given; long ones without their dashes.
pub(super) struct GivenOption<'a> {
    pub(super) name: String,
    /// Its value, if it is known.
    pub(super) value: Option<&'a str>,
}

/// Splits words into options and the rest. `None` if an option is unknown or cannot be read.
pub(super) fn split<'a>(
    options: &ProgramOptions,
    words: &'a [ShellWord],
) -> Option<(Vec<GivenOption<'a>>, &'a [ShellWord])> {
    let mut given = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.may_be_option() {
            break;
        }
        // The value after `=` may be unknown, but the option's name must be known.
        let text = word.exact_text().unwrap_or(&word.prefix);
        if word.exact_text().is_none() && (word.splits || !text.contains('=')) {
            return None;
        }
        at += 1;
        if text == "--" {
            break;
        }
        if text == "-" {
            at -= 1;
            break;
        }
        let mut next = || {
            let value = words.get(at)?;
            at += 1;
            (!value.splits).then_some(value)
        };
        if let Some(long) = text.strip_prefix("--") {
            match long.split_once('=') {
                Some((name, value)) if options.long_valued.contains(&name) => given.push(GivenOption {
                    name: name.to_owned(),
                    value: word.exact_text().map(|_| value),
                }),
                None if options.long_flags.contains(&long) => given.push(flag(long)),
                None if options.long_valued.contains(&long) => {
                    let value = next()?;
                    given.push(with_value(long, value));
                }
                _ => return None,
            }
            continue;
        }
        for (idx, letter) in text.char_indices().skip(1) {
            let rest = &text[idx + letter.len_utf8()..];
            if options.valued.contains(letter) {
                if rest.is_empty() {
                    let value = next()?;
                    given.push(with_value(&letter.to_string(), value));
                } else {
                    given.push(GivenOption {
                        name: letter.to_string(),
                        value: word.exact_text().map(|_| rest),
                    });
                }
                break;
            }
            if options.attached.contains(letter) {
                given.push(GivenOption {
                    name: letter.to_string(),
                    value: Some(rest).filter(|rest| !rest.is_empty()),
                });
                break;
            }
            if !options.flags.contains(letter) {
                return None;
            }
            given.push(flag(&letter.to_string()));
        }
    }
    Some((given, words.get(at..).unwrap_or_default()))
}

fn flag<'a>(name: &str) -> GivenOption<'a> {
    GivenOption {
        name: name.to_owned(),
        value: None,
    }
}

fn with_value<'a>(name: &str, word: &'a ShellWord) -> GivenOption<'a> {
    GivenOption {
        name: name.to_owned(),
        value: word.exact_text(),
    }
}
