//! Options with which a program checks nothing, or hides what it found.

use super::Masked;
use super::table;
use super::variable::{does_nothing, is_shell};
use super::word::Word;

/// What the options of a program make of it.
pub(super) enum Effect {
    /// It works as usual.
    None,
    /// It tells about itself.
    Tells,
    /// It checks nothing.
    Idles(Masked),
    /// Its exit status says nothing.
    Hides(Masked),
}

/// Reads the options of a program.
pub(super) fn effect(words: &[Word]) -> Effect {
    let name = words.first().and_then(Word::base).unwrap_or_default();
    let key = super::program::key(words);
    let known: Vec<&str> = words.iter().skip(1).filter_map(Word::known).collect();
    let of = |list: &[(&str, &str)], option: &str| {
        list.iter()
            .any(|(program, given)| (*program == name || *program == key) && *given == option)
    };
    if let Some(masked) = replaced(name, &key, &known) {
        return Effect::Hides(masked);
    }
    for option in &known {
        if table::HIDING.contains(option) || of(table::HIDING_OF, option) || make_has(name, option, 'i') {
            return Effect::Hides(hides(option, &key));
        }
    }
    for option in &known {
        let is_make = "nqt".contains(|flag| make_has(name, option, flag));
        if table::IDLE.contains(option) || of(table::IDLE_OF, option) || is_make {
            let reason = format!("`{key}` with `{option}` runs nothing that could fail");
            return Effect::Idles(Masked::new(option, reason));
        }
    }
    if known.iter().any(|option| table::TELLING.contains(option)) {
        return Effect::Tells;
    }
    Effect::None
}

/// Options that name the shell or the program with which everything is run, and rules that are not in a file.
fn replaced(name: &str, key: &str, known: &[&str]) -> Option<Masked> {
    for (idx, option) in known.iter().enumerate() {
        let (option, value) = match option.split_once('=') {
            Some((option, value)) => (option, value),
            None => (*option, known.get(idx + 1).copied().unwrap_or_default()),
        };
        let is_other = match option {
            "--script-shell" => !is_shell(value),
            _ => table::RUNNING.contains(&option) && does_nothing(value),
        };
        if is_other {
            let reason = format!("`{option}` of `{key}` puts `{value}` in the place of what runs the check");
            return Some(Masked::new(option, reason));
        }
        let is_rule = matches!(name, "make" | "gmake") && (option == "--eval" || option.starts_with("-E"));
        if is_rule {
            let reason = format!("`{option}` gives `{name}` rules that are in no file: put them there");
            return Some(Masked::new(option, reason));
        }
    }
    None
}

/// Reads a variable that is set for a program: options may hide in it, as in `PYTEST_ADDOPTS` and `MAKEFLAGS`.
pub(super) fn of_variable(name: &str, value: &str) -> Option<Masked> {
    let is_make = matches!(name, "MAKEFLAGS" | "GNUMAKEFLAGS");
    value.split_whitespace().find_map(|word| {
        let flags = format!("-{}", word.trim_start_matches('-'));
        let is_hidden = table::HIDING.contains(&word)
            || table::IDLE.contains(&word)
            || (is_make && !word.starts_with("--") && "inqt".contains(|flag| make_has("make", &flags, flag)));
        is_hidden.then(|| hides(word, name))
    })
}

fn hides(option: &str, owner: &str) -> Masked {
    let reason = format!("`{option}` of `{owner}` turns a failure into a success");
    Masked::new(option, reason)
}

/// Whether a word is a group of short options of `make` with this flag in it.
fn make_has(name: &str, option: &str, flag: char) -> bool {
    if !matches!(name, "make" | "gmake") || option.starts_with("--") {
        return false;
    }
    let Some(flags) = option.strip_prefix('-') else {
        return false;
    };
    // The rest of the word after one of these is its value.
    flags
        .chars()
        .take_while(|c| !"CEIWfjlo".contains(*c))
        .any(|c| c == flag)
}
