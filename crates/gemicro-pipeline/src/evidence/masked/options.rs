//! What the options of a program make of it: it checks nothing, or hides what it found.

use super::Masked;
use super::option::{self, Given};
use super::option_table::{self, DETACHING, HIDING, IDLE, TELLING, for_all, of};
use super::table;
use super::variable::{does_nothing, is_shell};
use super::word::Word;

/// What the options of a program make of it.
#[derive(Debug)]
pub(super) enum Effect {
    /// It works as usual.
    None,
    /// It tells about itself.
    Tells,
    /// It does something that others may need, as a start without a wait, and checks nothing.
    Prepares,
    /// It checks nothing.
    Idles(Masked),
    /// Its exit status says nothing.
    Hides(Masked),
}

/// Reads the options of a program.
pub(super) fn effect(words: &[Word]) -> Effect {
    let name = words.first().and_then(Word::program).unwrap_or_default();
    let key = super::program::key(words);
    let known: Vec<&str> = words.iter().skip(1).filter_map(Word::known).collect();
    let all = option::given(name, &known);
    let own = option::given(name, own_words(name, &known));
    if let Some(masked) = replaced(name, &key, &all) {
        return Effect::Hides(masked);
    }
    if let Some(checks) = formats(&[name, &key], &own) {
        return if checks { Effect::None } else { Effect::Prepares };
    }
    if let Some(option) = find(
        &all,
        &own,
        |option| hides(&["*"], option),
        |option| hides(&[name, &key], option),
    ) {
        return Effect::Hides(turned(option.word, &key));
    }
    if let Some(option) = find(
        &all,
        &own,
        |option| idles(&["*"], option),
        |option| idles(&[name, &key], option),
    ) {
        let option = option.word;
        let reason = format!("`{key}` with `{option}` runs nothing that could fail");
        return Effect::Idles(Masked::new(option, reason));
    }
    if own.iter().any(|option| option.is_in(of(DETACHING, name))) {
        return Effect::Prepares;
    }
    let tells = find(
        &all,
        &own,
        |option| option.is_in(for_all(TELLING)),
        |option| option.is_in(of(TELLING, name)),
    );
    if tells.is_some() || asks_for_itself(name, &known) {
        return Effect::Tells;
    }
    Effect::None
}

/// Whether a formatter only looks; nothing when the program is none.
fn formats(programs: &[&str], own: &[Given<'_>]) -> Option<bool> {
    let mut formatters = option_table::FORMATTERS.iter();
    let (_, checking) = formatters.find(|(formatter, _)| programs.contains(formatter))?;
    let tells = |option: &Given<'_>| option.is_in(for_all(TELLING));
    Some(own.iter().any(|option| option.is_in(checking)) && !own.iter().any(tells))
}

/// Whether a program that starts another does not do so, or not as usual, with this option.
pub(super) fn changes(name: &str, word: &str, next: Option<&str>) -> bool {
    let mut given = Vec::new();
    option::one(name, word, next, &mut given);
    given.iter().any(|option| {
        hides(&["*", name], option)
            || idles(&["*", name], option)
            || [
                for_all(TELLING),
                of(DETACHING, name),
                of(option_table::CARRYING, name),
            ]
            .iter()
            .any(|list| option.is_in(list))
            || option.is("--entrypoint")
            || (option.is_in(option_table::RUNNING) && option.value().is_some_and(does_nothing))
    })
}

/// The first option that is one for any program, or one of this program's own.
fn find<'a, 'w>(
    all: &'a [Given<'w>],
    own: &'a [Given<'w>],
    is_general: impl Fn(&Given<'w>) -> bool,
    is_special: impl Fn(&Given<'w>) -> bool,
) -> Option<&'a Given<'w>> {
    let general = all.iter().find(|option| is_general(option));
    general.or_else(|| own.iter().find(|option| is_special(option)))
}

fn hides(programs: &[&str], option: &Given<'_>) -> bool {
    let is_listed = programs.iter().any(|program| option.is_in(of(HIDING, program)));
    is_listed || (programs.contains(&"*") && option.gives_success())
}

fn idles(programs: &[&str], option: &Given<'_>) -> bool {
    let is_listed = programs.iter().any(|program| option.is_in(of(IDLE, program)));
    is_listed || (programs.contains(&"*") && option.lists())
}

/// `-h` at the end, `-V` alone, and `-v` alone where that is the version.
fn asks_for_itself(name: &str, known: &[&str]) -> bool {
    let has = |list: &str| table::has(list, name);
    match known {
        ["-V"] => !has(option_table::VERBOSE_V),
        ["-v"] if has(option_table::VERSION_V_ALONE) => true,
        ["-v", ..] => has(option_table::VERSION_V),
        ["-help" | "-version"] | [.., "-h"] => true,
        _ => false,
    }
}

/// The words that a program takes for itself, with the first operand: it may be the value of the option before it.
fn own_words<'a, 'w>(name: &str, known: &'a [&'w str]) -> &'a [&'w str] {
    if !table::has(option_table::LEADERS, name) {
        return known;
    }
    let valued = option_table::valued(name).unwrap_or_default();
    let takes_next = |option: &str| {
        let is_short = option.starts_with('-') && !option.starts_with("--");
        is_short && option.ends_with(|c| valued.contains(c))
    };
    let is_operand = |idx: usize| {
        let is_value = idx > 0 && takes_next(known[idx - 1]);
        !known[idx].starts_with('-') && !is_value
    };
    let end = (0..known.len()).find(|idx| is_operand(*idx));
    &known[..end.map_or(known.len(), |end| end + 1)]
}

/// Options that name the shell or the program with which everything is run, and rules that are not in a file.
fn replaced(name: &str, key: &str, given: &[Given<'_>]) -> Option<Masked> {
    given.iter().find_map(|option| {
        let value = option.value().unwrap_or_default();
        let written = option.word.split('=').next().unwrap_or_default();
        let runs = option_table::RUNNING
            .split_whitespace()
            .any(|running| option::folded(running) == option.name)
            || (name, option.name.as_str()) == ("prove", "-e");
        let is_other = (option.name == "--scriptshell" && !is_shell(value))
            || (option.name.starts_with('-') && runs && does_nothing(value));
        if is_other {
            let reason = format!("`{written}` of `{key}` puts `{value}` in the place of what runs the check");
            return Some(Masked::new(written, reason));
        }
        if name == "cargo" && option.name == "--config" && is_other_program(value) {
            let reason =
                format!("`--config {value}` puts something in the place of what cargo runs: leave it out");
            return Some(Masked::new(written, reason));
        }
        if name == "git" && option.is_in("-c --config-env") && value.starts_with("alias.") {
            let reason = format!("`{value}` gives a command of git another meaning: leave it out");
            return Some(Masked::new(written, reason));
        }
        // Settings may hold options: `pytest -o addopts=--co`.
        if name == "pytest" && (option.name.starts_with("-o") || option.name == "--overrideini") {
            let setting = option
                .word
                .split_once("addopts=")
                .or_else(|| value.split_once("addopts="));
            return setting.and_then(|(_, options)| of_variable("PYTEST_ADDOPTS", options));
        }
        let is_rule = option.is_in("-E --eval -f=- --file=- --makefile=-")
            || matches!(option.name.as_str(), "-E" | "--eval");
        if name == "make" && is_rule {
            let reason = format!("`{written}` gives `{name}` rules that are in no file: put them there");
            return Some(Masked::new(written, reason));
        }
        None
    })
}

/// Whether a setting of cargo gives a command or a runner another meaning.
fn is_other_program(setting: &str) -> bool {
    let (name, value) = setting.rsplit_once('=').unwrap_or((setting, ""));
    let value = value.trim_matches(|c: char| c.is_whitespace() || "\"'[]{}".contains(c));
    ["alias", "runner"].iter().any(|word| setting.contains(word))
        || (["rustc", "rustdoc"].iter().any(|word| name.contains(word)) && does_nothing(value))
}

/// Reads a variable that is set for a program: options may hide in it, as in `PYTEST_ADDOPTS` and `MAKEFLAGS`, or it
/// stands for one, as `RUFF_EXIT_ZERO`.
pub(super) fn of_variable(name: &str, value: &str) -> Option<Masked> {
    let owner = of(option_table::OPTIONS_OF, name);
    let program = owner.split(' ').next().unwrap_or_default();
    // `make` takes its flags there without a dash.
    let words: Vec<String> = value
        .split_whitespace()
        .map(|word| match program {
            "make" if !word.starts_with('-') && !word.contains('=') => format!("-{word}"),
            _ => word.to_owned(),
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let given = option::given(program, &words);
    if let Some(masked) = replaced(program, name, &given) {
        return Some(masked);
    }
    let programs = ["*", program, owner];
    let tells = |option: &Given<'_>| programs.iter().any(|program| option.is_in(of(TELLING, program)));
    let found = given
        .iter()
        .find(|option| hides(&programs, option) || idles(&programs, option) || tells(option));
    if let Some(option) = found {
        let written = value.split_whitespace().find(|word| option.word.ends_with(word));
        return Some(turned(written.unwrap_or(option.word), name));
    }
    let (_, option) = name.split_once('_')?;
    let stands_for = format!("--{option}={value}");
    let given = option::given("", &[stands_for.as_str()]);
    let is_hidden = given
        .iter()
        .any(|option| hides(&["*"], option) || option.is("--dry-run"));
    is_hidden.then(|| turned(&format!("{name}={value}"), name))
}

fn turned(option: &str, owner: &str) -> Masked {
    let reason = format!("`{option}` of `{owner}` turns a failure into a success");
    Masked::new(option, reason)
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
