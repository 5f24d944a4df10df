//! Builtins that run text, change the working directory, or give names a new meaning.

use super::nested::{file, hidden_program};
use super::program::{self, Program};
use super::run::PolicyRun;
use super::state::ShellState;
use super::variable;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;

/// Builtins whose arguments are names of variables that they set.
const SETTERS: &[&str] = &[
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
    "unset",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
];
const OTHERS: &[&str] = &[
    "cd",
    "chdir",
    "pushd",
    "popd",
    "eval",
    "source",
    ".",
    "trap",
    "alias",
    "hash",
    "enable",
    "complete",
    "compgen",
    "bind",
    "fc",
    "printf",
    "at",
    "batch",
    "crontab",
    "apply_patch",
    "applypatch",
];

/// Whether a name is one of these builtins.
pub(super) fn is_known(base: &str) -> bool {
    OTHERS.contains(&base) || SETTERS.contains(&base)
}

/// Judges a builtin; `None` if the program is not one of them.
pub(super) fn judge(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    base: &str,
    state: &mut ShellState,
) -> Option<Result<(), Denial>> {
    let arguments = &program.words[1..];
    if SETTERS.contains(&base) || matches!(base, "printf" | "test" | "[") {
        let found = arguments.iter().try_for_each(variable::no_index_command_in);
        if let Err(denial) = found {
            return Some(Err(denial));
        }
    }
    Some(match base {
        "cd" | "chdir" | "pushd" => {
            if base == "pushd" {
                state.push();
            }
            change(run, arguments, state);
            Ok(())
        }
        "popd" => {
            if arguments.is_empty() {
                state.pop()
            } else {
                state.lose()
            };
            Ok(())
        }
        "eval" => eval(run, program, state),
        "source" | "." => source(run, program, state),
        "trap" => trap(run, program, state),
        "alias" => alias(run, program, state),
        "hash" | "enable" | "complete" | "compgen" | "bind" | "fc" => lookups_only(program),
        "crontab" if matches!(arguments, [list] if list.exact_text() == Some("-l")) => Ok(()),
        "at" | "batch" | "crontab" => Err(hidden_program(program)),
        "apply_patch" | "applypatch" => patch(run, program, state),
        "printf" => printf(program),
        _ if SETTERS.contains(&base) => setter(program, base, state),
        _ => return None,
    })
}

fn change(run: &PolicyRun<'_>, arguments: &[ShellWord], state: &mut ShellState) {
    let mut operands = arguments
        .iter()
        .filter(|word| !matches!(word.exact_text(), Some("-P" | "-L" | "-e" | "-@" | "-n" | "--")));
    let (Some(folder), None) = (operands.next(), operands.next()) else {
        // No folder means home, and several are an error or the old ksh form.
        return state.lose();
    };
    let is_top = [
        "\"$(git rev-parse --show-toplevel)\"",
        "$(git rev-parse --show-toplevel)",
    ];
    match folder.exact_text() {
        Some("-") => state.back(),
        Some(path) if folder.tilde || path.starts_with(['-', '+']) => state.lose(),
        Some(path) => state.change(path),
        None if is_top.contains(&folder.source.as_str()) => state.set(run.roots.worktree),
        None => state.lose(),
    }
}

fn eval(run: &PolicyRun<'_>, program: &Program<'_>, state: &mut ShellState) -> Result<(), Denial> {
    let words: Option<Vec<&str>> = program.words[1..].iter().map(ShellWord::exact_text).collect();
    let text = words.ok_or_else(|| hidden_program(program))?.join(" ");
    run.script(text.strip_prefix("-- ").unwrap_or(&text), state)
}

/// Judges a sourced file. It must be in the worktree, because it may change what every later name means.
fn source(run: &PolicyRun<'_>, program: &Program<'_>, state: &ShellState) -> Result<(), Denial> {
    let word = program.words.get(1).ok_or_else(|| hidden_program(program))?;
    file(word, program)?;
    let path = word.exact_text().unwrap_or_default();
    let places = state.resolve(path).ok_or_else(|| hidden_program(program))?;
    places
        .iter()
        .try_for_each(|place| run.roots.readable(place, program.segment))
}

fn trap(run: &PolicyRun<'_>, program: &Program<'_>, state: &ShellState) -> Result<(), Denial> {
    let mut words = program.words[1..]
        .iter()
        .skip_while(|word| word.exact_text() == Some("--"));
    let Some(first) = words.next() else {
        return Ok(());
    };
    let text = first.exact_text().ok_or_else(|| hidden_program(program))?;
    if text.is_empty() || text.starts_with('-') {
        return Ok(());
    }
    // The trap runs at some later time, in whatever folder the shell is in then.
    let mut later = state.clone();
    later.lose();
    run.script(text, &mut later)
}

fn alias(run: &PolicyRun<'_>, program: &Program<'_>, state: &mut ShellState) -> Result<(), Denial> {
    let deny = |hint: &str| Denial::new(PolicyRule::Redefinition, program.segment, hint);
    for word in &program.words[1..] {
        let text = word
            .exact_text()
            .ok_or_else(|| deny("write the alias as literal text"))?;
        match text.split_once('=') {
            Some((name, _)) if program::has_meaning(name) => {
                return Err(deny("do not redefine a known command"));
            }
            Some((name, value)) => {
                run.script(value, &mut state.clone())?;
                state.aliases.push(name.to_owned());
            }
            None if text == "-p" || !text.starts_with('-') => {}
            None => return Err(deny("use `alias` without options, except `-p`")),
        }
    }
    Ok(())
}

/// Refuses builtins that bind commands to names, keys or completions, and allows them to list things.
fn lookups_only(program: &Program<'_>) -> Result<(), Denial> {
    let changes = program.words[1..].iter().any(|word| match word.exact_text() {
        Some("-p") => program.words.first().and_then(ShellWord::exact_text) == Some("hash"),
        Some(text) => {
            text.starts_with('-') && !matches!(text, "-a" | "-l" | "-r" | "-t" | "-P" | "-b" | "-c")
        }
        None => true,
    });
    if changes {
        let hint = "do not bind commands to names, keys or completions";
        return Err(Denial::new(PolicyRule::Redefinition, program.segment, hint));
    }
    Ok(())
}

fn printf(program: &Program<'_>) -> Result<(), Denial> {
    match (
        program.words.get(1).and_then(ShellWord::exact_text),
        program.words.get(2),
    ) {
        (Some("-v"), Some(name)) => names(name, program),
        _ => Ok(()),
    }
}

fn setter(program: &Program<'_>, base: &str, state: &mut ShellState) -> Result<(), Denial> {
    let is_callback = |word: &ShellWord| word.prefix.starts_with("-C");
    if matches!(base, "mapfile" | "readarray") && program.words.iter().any(is_callback) {
        return Err(hidden_program(program));
    }
    for word in &program.words[1..] {
        match base {
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                variable::judge_declaration(word, base == "export", program.segment, state)?;
            }
            _ => names(word, program)?,
        }
    }
    Ok(())
}

/// A variable's name: not one of git's, and no command hidden in its index.
fn names(word: &ShellWord, program: &Program<'_>) -> Result<(), Denial> {
    let text = word.exact_text().unwrap_or(&word.prefix);
    if text.contains("$(") || text.contains('`') {
        return Err(hidden_program(program));
    }
    variable::judge_variable_name(text, program.segment)
}

fn patch(run: &PolicyRun<'_>, program: &Program<'_>, state: &ShellState) -> Result<(), Denial> {
    let text = match (&program.stdin, program.words.get(1)) {
        (_, Some(word)) => word.exact_text(),
        (super::program::CommandInput::Script(text), None) => Some(text.as_str()),
        _ => None,
    };
    let text = text.ok_or_else(|| hidden_program(program))?;
    let places = state.resolve(".").ok_or_else(|| hidden_program(program))?;
    places
        .iter()
        .try_for_each(|place| crate::policy::tool::patch_text(run.roots, place, text))
}
