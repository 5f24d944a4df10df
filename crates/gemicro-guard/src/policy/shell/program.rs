//! Judges one simple command: finds the program that it starts, and applies the rules for that program.

use super::run::PolicyRun;
use super::state::ShellState;
use super::word::ShellWord;
use super::{builtin, nested, plain, wrapper, writer};
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;
use crate::policy::{git, paths};

/// A simple command, ready to be judged.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Program<'a> {
    /// The program and its arguments.
    pub(in crate::policy) words: &'a [ShellWord],
    /// Where its input comes from.
    pub(in crate::policy) stdin: CommandInput,
    /// The command as written, for the denial.
    pub(in crate::policy) segment: &'a str,
}

/// Where a command's input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::policy) enum CommandInput {
    /// From the surrounding command; unknown.
    #[default]
    Inherited,
    /// From this text, which is known before the line runs.
    Script(String),
    /// From a file, or from text that is only known when the line runs.
    Other,
}

/// Reserved words of the shell. As a program name they mean that the line was misread.
const RESERVED: &[&str] = &[
    "{", "}", "then", "do", "done", "fi", "else", "elif", "esac", "in", "if", "for", "while", "until",
    "case", "select", "function", "!", "[[", "]]", "coproc",
];

/// Judges one simple command.
pub(in crate::policy) fn judge(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    state: &mut ShellState,
) -> Result<(), Denial> {
    run.count(program.segment)?;
    let Some(first) = program.words.first() else {
        return Ok(());
    };
    let name = first.exact_text().ok_or_else(|| {
        let hint = "write the program's name literally, not as a variable, pattern or substitution";
        Denial::new(PolicyRule::DynamicProgram, program.segment, hint)
    })?;
    readable_name(name, program.segment)?;
    let base = base_name(name);
    if RESERVED.contains(&base.as_str()) || name.is_empty() {
        return Err(super::syntax::unreadable(program.segment));
    }
    if state.aliases.iter().any(|alias| alias == name) {
        let hint = "write the command itself, not an alias";
        return Err(Denial::new(PolicyRule::DynamicProgram, program.segment, hint));
    }
    program.words.iter().try_for_each(no_secret)?;
    run.deeper(program.segment, || dispatch(run, program, &base, state))
}

fn dispatch(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    base: &str,
    state: &mut ShellState,
) -> Result<(), Denial> {
    let config = run.roots.config;
    if let Some(subcommand) = git_program(base) {
        return git::judge(run.roots, program, subcommand, state);
    }
    if nested::is_shell(base) {
        return nested::shell(run, program, state);
    }
    if let Some(result) = builtin::judge(run, program, base, state) {
        return result;
    }
    if let Some(result) = wrapper::judge(run, program, base, state) {
        return result;
    }
    writer::judge(run, program, base, state)?;
    let is_users = || {
        let mut programs = config.plain_programs.iter();
        programs.any(|plain| plain.eq_ignore_ascii_case(base))
    };
    if plain::takes_data(base, &program.words[1..]) || is_users() {
        Ok(())
    } else {
        later_words(run, program, state)
    }
}

/// Whether a name already has a meaning in the policy, so that a line must not redefine it.
pub(super) fn has_meaning(name: &str) -> bool {
    let base = base_name(name);
    git_program(&base).is_some()
        || nested::is_shell(&base)
        || wrapper::is_known(&base)
        || builtin::is_known(&base)
        || writer::is_known(&base)
        || base != ":" && plain::is_known(&base)
}

/// Whether a word names git or a shell.
pub(super) fn starts_commands(word: &str) -> bool {
    let base = base_name(word);
    git_program(&base).is_some() || nested::is_shell(&base)
}

/// The last part of a program's path, as a file system that ignores case would find it.
pub(super) fn base_name(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    base.strip_suffix(".exe").map_or(base.clone(), str::to_owned)
}

/// `git` gives an empty subcommand, `git-push` gives `push`.
fn git_program(base: &str) -> Option<&str> {
    match base {
        "git" | "hub" => Some(""),
        "scalar" => Some("scalar"),
        _ => base.strip_prefix("git-").filter(|rest| !rest.is_empty()),
    }
}

/// Refuses letters of other scripts, invisible and control characters in a program's name, and spaces in a name that is
/// searched in `PATH`.
fn readable_name(name: &str, segment: &str) -> Result<(), Denial> {
    let is_path = name.contains('/');
    let odd = name.chars().find(|c| {
        let is_latin = is_path && matches!(c, '\u{c0}'..='\u{24f}');
        c.is_control() || (!c.is_ascii() && !is_latin) || (c.is_whitespace() && !is_path)
    });
    match odd {
        Some(odd) => {
            let hint = format!("the program's name contains {:?} (U+{:04X})", odd, u32::from(odd));
            Err(Denial::new(PolicyRule::OddCharacters, segment, hint))
        }
        None => Ok(()),
    }
}

/// Refuses a word that names a path where keys are stored.
pub(super) fn no_secret(word: &ShellWord) -> Result<(), Denial> {
    let names_secret = match word.exact_text() {
        Some(text) => (word.tilde || text.starts_with('/')) && paths::is_secret(text),
        None => paths::is_secret(&word.source),
    };
    if names_secret {
        let hint = "agents may not access keys and passwords";
        return Err(Denial::new(PolicyRule::SecretPath, word.source.clone(), hint));
    }
    Ok(())
}

/// An unknown program with a later argument that is git or a shell counts as a wrapper that cannot be checked.
pub(super) fn later_words(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    state: &ShellState,
) -> Result<(), Denial> {
    let starts = |word: &str| {
        let is_name = !word.contains('/') || word.starts_with('/');
        is_name && starts_commands(word)
    };
    for text in program.words.iter().skip(1).filter_map(ShellWord::exact_text) {
        let value = match text.split_once('=') {
            Some((option, value)) if option.starts_with('-') => value,
            _ => text,
        };
        if starts(value) {
            let hint = "start git and shells directly, not through another program";
            return Err(Denial::new(PolicyRule::Wrapper, program.segment, hint));
        }
        let mut parts = value.split_whitespace();
        let is_command = parts.next().is_some_and(starts) && parts.next().is_some();
        if is_command {
            run.script(value, &mut state.clone())?;
        }
    }
    Ok(())
}
