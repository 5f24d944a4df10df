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
    let of = |list: &[(&str, &str)], option: &str| is_of(list, name, option) || is_of(list, &key, option);
    let own = own_options(name, &known);
    if let Some(masked) = replaced(name, &key, &known) {
        return Effect::Hides(masked);
    }
    for option in &known {
        if table::HIDING.contains(option) || of(table::HIDING_OF, option) || make_ignores(name, option) {
            return Effect::Hides(hides(option, &key));
        }
    }
    for option in &known {
        let is_idle = of(table::IDLE_OF, option) || has_idle_flag(name, option);
        if table::IDLE.contains(option) || (is_idle && own.contains(option)) {
            let reason = format!("`{key}` with `{option}` runs nothing that could fail");
            return Effect::Idles(Masked::new(option, reason));
        }
    }
    if known.iter().any(|option| table::TELLING.contains(option)) {
        return Effect::Tells;
    }
    Effect::None
}

/// Whether a program that starts another does not do so, or not as usual, with this option.
pub(super) fn changes(name: &str, option: &str) -> bool {
    let everywhere = [table::HIDING, table::IDLE, table::TELLING];
    everywhere.iter().any(|list| list.contains(&option))
        || is_of(table::HIDING_OF, name, option)
        || is_of(table::IDLE_OF, name, option)
}

fn is_of(list: &[(&str, &str)], program: &str, option: &str) -> bool {
    list.contains(&(program, option))
}

/// The words that a program takes for itself.
fn own_options<'w>(name: &str, known: &'w [&'w str]) -> &'w [&'w str] {
    if !table::LEADERS.contains(&name) {
        return known;
    }
    let valued = table::IDLE_FLAGS.iter().find(|(program, ..)| *program == name);
    let takes_next = |option: &str| {
        let is_short = option.starts_with('-') && !option.starts_with("--");
        is_short && valued.is_some_and(|(.., valued)| option.ends_with(|c| valued.contains(c)))
    };
    let is_operand = |idx: usize| {
        let is_value = idx > 0 && takes_next(known[idx - 1]);
        !known[idx].starts_with('-') && !is_value
    };
    let end = (0..known.len()).find(|idx| is_operand(*idx));
    &known[..end.unwrap_or(known.len())]
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
        if name == "cargo" && option == "--config" && is_other_program(value) {
            let reason =
                format!("`--config {value}` puts something in the place of what cargo runs: leave it out");
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

/// Whether a setting of cargo gives a command or a runner another meaning.
fn is_other_program(setting: &str) -> bool {
    let (name, value) = setting.rsplit_once('=').unwrap_or((setting, ""));
    let value = value.trim_matches(|c: char| c.is_whitespace() || "\"'[]{}".contains(c));
    ["alias", "runner"].iter().any(|word| setting.contains(word))
        || (["rustc", "rustdoc"].iter().any(|word| name.contains(word)) && does_nothing(value))
}

/// Reads a variable that is set for a program: options may hide in it, as in `PYTEST_ADDOPTS` and `MAKEFLAGS`.
pub(super) fn of_variable(name: &str, value: &str) -> Option<Masked> {
    let owner = table::OPTIONS_OF.iter().find(|(variable, _)| *variable == name);
    let program = owner.map_or("", |(_, program)| program);
    let words: Vec<&str> = value.split_whitespace().collect();
    if let Some(masked) = replaced(program, name, &words) {
        return Some(masked);
    }
    words.into_iter().find_map(|word| {
        // `make` takes its flags there without a dash.
        let flags = match program {
            "make" if !word.starts_with('-') => format!("-{word}"),
            _ => word.to_owned(),
        };
        let is_hidden = table::HIDING.contains(&word)
            || table::IDLE.contains(&word)
            || is_of(table::IDLE_OF, program, word)
            || has_idle_flag(program, &flags)
            || make_ignores(program, &flags);
        is_hidden.then(|| hides(word, name))
    })
}

fn hides(option: &str, owner: &str) -> Masked {
    let reason = format!("`{option}` of `{owner}` turns a failure into a success");
    Masked::new(option, reason)
}

/// Whether a word is a group of short options of a program with one in it with which it checks nothing.
fn has_idle_flag(name: &str, option: &str) -> bool {
    let flags = table::IDLE_FLAGS.iter().find(|(program, ..)| *program == name);
    flags.is_some_and(|(_, idle, valued)| has_flag(option, idle, valued))
}

fn make_ignores(name: &str, option: &str) -> bool {
    let make = table::IDLE_FLAGS.iter().find(|(program, ..)| *program == name);
    matches!(name, "make" | "gmake") && make.is_some_and(|(.., valued)| has_flag(option, "i", valued))
}

/// Whether a word is a group of short options with one of these in it; what follows one that takes a value is none.
pub(super) fn has_flag(option: &str, flags: &str, valued: &str) -> bool {
    let Some(group) = option.strip_prefix('-').filter(|group| !group.starts_with('-')) else {
        return false;
    };
    group
        .chars()
        .take_while(|c| !valued.contains(*c))
        .any(|c| flags.contains(c))
}
