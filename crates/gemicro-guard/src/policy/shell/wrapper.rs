//! Programs that start other programs: what they start is judged in their place.

mod find;
mod table;
mod text;

use super::nested::hidden_program;
use super::options::{self, GivenOption};
use super::program::{self, Program};
use super::run::PolicyRun;
use super::state::ShellState;
use super::variable;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;
use table::{AloneRule, Wrapper};

/// Whether a program is a wrapper that is looked through.
pub(super) fn is_known(base: &str) -> bool {
    table::find(base).is_some() || find::NAMES.contains(&base) || text::NAMES.contains(&base)
}

/// Judges the command that a wrapper starts; `None` if the program is not a wrapper.
pub(super) fn judge(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    base: &str,
    state: &mut ShellState,
) -> Option<Result<(), Denial>> {
    if find::NAMES.contains(&base) {
        return Some(find::judge(run, program, state));
    }
    if text::NAMES.contains(&base) {
        return Some(text::judge(run, program, base, state));
    }
    let wrapper = table::find(base)?;
    Some(through(run, program, wrapper, state))
}

/// The denial of a wrapper whose options are not understood.
fn opaque(program: &Program<'_>) -> Denial {
    let hint = "start the command without this wrapper, or with simple options";
    Denial::new(PolicyRule::Wrapper, program.segment, hint)
}

fn through(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    wrapper: &Wrapper,
    state: &mut ShellState,
) -> Result<(), Denial> {
    let (given, rest) =
        options::split(&wrapper.options, &program.words[1..]).ok_or_else(|| opaque(program))?;
    let has = |name: &str| given.iter().any(|option| option.name == name);
    let mut rest = rest;
    // The wrapper's changes apply to its command only.
    let mut inner = state.clone();
    if wrapper.sets_variables {
        while let Some(word) = rest.first().filter(|word| is_assignment(word)) {
            variable::judge_declaration(word, true, program.segment, &mut inner)?;
            rest = &rest[1..];
        }
    }
    if wrapper.only_looks.iter().any(|name| has(name)) {
        return Ok(());
    }
    if wrapper.opens_shell.iter().any(|name| has(name)) {
        if rest.is_empty() {
            return Err(hidden_program(program));
        }
        inner.lose();
    }
    change_folder(wrapper, &given, &mut inner);
    if rest.len() < wrapper.operands || rest[..wrapper.operands].iter().any(|word| word.splits) {
        return if rest.is_empty() && wrapper.alone == AloneRule::Fine {
            Ok(())
        } else {
            Err(opaque(program))
        };
    }
    rest = &rest[wrapper.operands..];
    if let Some(split) = given
        .iter()
        .find(|option| matches!(option.name.as_str(), "S" | "split-string"))
    {
        return env_split(run, program, split, rest, &mut inner);
    }
    if wrapper.text_after_operands && rest.first().and_then(ShellWord::exact_text) == Some("-c") {
        let word = rest.get(1).ok_or_else(|| opaque(program))?;
        return super::nested::text(run, word, program, &mut inner);
    }
    if rest.is_empty() {
        return match wrapper.alone {
            AloneRule::Fine => Ok(()),
            AloneRule::Shell => Err(hidden_program(program)),
        };
    }
    let words = if wrapper.adds_words {
        with_input(&given, rest)
    } else {
        rest.to_vec()
    };
    let next = Program {
        words: &words,
        stdin: program.stdin.clone(),
        segment: program.segment,
    };
    if wrapper.same_shell {
        return program::judge(run, &next, state);
    }
    program::judge(run, &next, &mut inner)
}

/// `NAME=value`, also with a value that is only known later.
fn is_assignment(word: &ShellWord) -> bool {
    word.prefix.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn change_folder(wrapper: &Wrapper, given: &[GivenOption<'_>], inner: &mut ShellState) {
    for option in given
        .iter()
        .filter(|option| wrapper.folder.contains(&option.name.as_str()))
    {
        match option.value {
            Some(folder) => inner.change(folder),
            None => inner.lose(),
        }
    }
    if wrapper.leaves {
        inner.lose();
    }
}

/// `env -S 'words…'`: the text is split into words, and the rest follows.
fn env_split(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    split: &GivenOption<'_>,
    rest: &[ShellWord],
    inner: &mut ShellState,
) -> Result<(), Denial> {
    let text = split.value.ok_or_else(|| opaque(program))?;
    if text.contains(['$', '\\', '\'', '"', '#']) {
        return Err(opaque(program));
    }
    let mut words: Vec<ShellWord> = text.split_whitespace().map(ShellWord::literal).collect();
    words.extend_from_slice(rest);
    // The words may begin with options and variables of `env` itself.
    words.insert(0, ShellWord::literal("env"));
    let next = Program {
        words: &words,
        stdin: program.stdin.clone(),
        segment: program.segment,
    };
    program::judge(run, &next, inner)
}

/// The words that `xargs` starts: the given ones, and those it reads from its input.
fn with_input(given: &[GivenOption<'_>], rest: &[ShellWord]) -> Vec<ShellWord> {
    let replaced = given.iter().find_map(|option| match option.name.as_str() {
        "I" => Some(option.value.unwrap_or_default()),
        "i" | "replace" => Some(option.value.unwrap_or("{}")),
        _ => None,
    });
    match replaced {
        Some(mark) => rest
            .iter()
            .map(|word| match word.exact_text() {
                // An unknown placeholder could be in any word.
                Some(text) if !mark.is_empty() && !text.contains(mark) => word.clone(),
                Some(text) if !mark.is_empty() => replaced_word(text, mark),
                _ => ShellWord::unknown(&word.source),
            })
            .collect(),
        None => rest
            .iter()
            .cloned()
            .chain(std::iter::once(ShellWord::unknown("(input)")))
            .collect(),
    }
}

/// A word whose placeholder is replaced when the line runs: known up to the placeholder, and still one word.
fn replaced_word(text: &str, mark: &str) -> ShellWord {
    let prefix = text.split(mark).next().unwrap_or_default();
    ShellWord {
        text: None,
        prefix: prefix.to_owned(),
        splits: false,
        ..ShellWord::unknown(text)
    }
}
