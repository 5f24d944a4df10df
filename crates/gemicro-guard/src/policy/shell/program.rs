//! One simple command: which program it starts, and which rules bind that program.

use super::run::Run;
use super::state::State;
use super::word::Word;
use super::{builtin, nested, redirect, wrapper};
use crate::policy::decision::{Denial, Rule};
use crate::policy::{git, paths};

/// A simple command, ready to be judged.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Program<'a> {
    /// The program and its arguments.
    pub(in crate::policy) words: &'a [Word],
    /// Where its input comes from.
    pub(in crate::policy) stdin: Stdin,
    /// The command as written, for the answer.
    pub(in crate::policy) segment: &'a str,
}

/// Where a command's input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::policy) enum Stdin {
    /// From the command around it; not known.
    #[default]
    Inherited,
    /// From this text.
    Script(String),
    /// From a file, or a text that is only known when the line runs.
    Other,
}

/// Programs that take their arguments as data: a word `git` among them means nothing.
const PLAIN: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "ls",
    "pwd",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "which",
    "whereis",
    "type",
    "whatis",
    "man",
    "apropos",
    "info",
    "help",
    "file",
    "stat",
    "du",
    "df",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "test",
    "[",
    "true",
    "false",
    ":",
    "sleep",
    "seq",
    "date",
    "diff",
    "cmp",
    "comm",
    "awk",
    "gawk",
    "jq",
    "yq",
    "column",
    "nl",
    "fold",
    "fmt",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "base64",
    "tree",
    "less",
    "more",
    "bat",
    "tac",
    "rev",
    "paste",
    "join",
    "id",
    "whoami",
    "uname",
    "hostname",
    "apt",
    "apt-get",
    "apk",
    "exit",
    "return",
    "shift",
    "break",
    "continue",
    "wait",
    "jobs",
    "kill",
    "pgrep",
    "ps",
    "ulimit",
    "umask",
    "times",
    "set",
    "shopt",
    "unalias",
    "expr",
    "bc",
    "clear",
    "yes",
    "patch",
    "rustfmt",
    "command_not_found_handle",
];
/// What cargo does with its arguments taken as data.
const PLAIN_CARGO: &[&str] = &[
    "test",
    "t",
    "nextest",
    "build",
    "b",
    "check",
    "c",
    "clippy",
    "fmt",
    "doc",
    "bench",
    "tree",
    "add",
    "remove",
    "update",
    "metadata",
    "search",
    "install",
    "fetch",
    "new",
    "init",
    "clean",
    "version",
    "--version",
];
/// Words that the shell reads itself: as a program they mean that the line was misread.
const RESERVED: &[&str] = &[
    "{", "}", "then", "do", "done", "fi", "else", "elif", "esac", "in", "if", "for", "while", "until",
    "case", "select", "function", "!", "[[", "]]", "coproc",
];

/// Judges one simple command.
pub(in crate::policy) fn judge(
    run: &Run<'_>,
    program: &Program<'_>,
    state: &mut State,
) -> Result<(), Denial> {
    run.count(program.segment)?;
    let Some(first) = program.words.first() else {
        return Ok(());
    };
    let name = first.known().ok_or_else(|| {
        let hint = "write the program's name itself, not a variable, pattern or substitution";
        Denial::new(Rule::DynamicProgram, program.segment, hint)
    })?;
    readable_name(name, program.segment)?;
    let base = base_name(name);
    if RESERVED.contains(&base.as_str()) || name.is_empty() {
        return Err(super::syntax::unreadable(program.segment));
    }
    if state.aliases.iter().any(|alias| alias == name) {
        let hint = "write the command itself, not an alias";
        return Err(Denial::new(Rule::DynamicProgram, program.segment, hint));
    }
    if let Some(word) = program.words.iter().find(|word| names_secret(word)) {
        let hint = "keys and passwords are not for the agent";
        return Err(Denial::new(Rule::SecretPath, word.source.clone(), hint));
    }
    run.deeper(program.segment, || dispatch(run, program, &base, state))
}

fn dispatch(run: &Run<'_>, program: &Program<'_>, base: &str, state: &mut State) -> Result<(), Denial> {
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
    if let Some(result) = written_paths(run, program, base, state) {
        return result;
    }
    let second = program.words.get(1).and_then(Word::known);
    let is_plain = PLAIN.contains(&base)
        || config.plain_programs.iter().any(|plain| plain == base)
        || (base == "cargo" && second.is_none_or(|second| PLAIN_CARGO.contains(&second)));
    if is_plain {
        Ok(())
    } else {
        later_words(run, program, state)
    }
}

/// Whether a name already means something here, so that a line must not define it anew.
pub(super) fn has_meaning(name: &str) -> bool {
    let base = base_name(name);
    git_program(&base).is_some()
        || nested::is_shell(&base)
        || wrapper::is_known(&base)
        || builtin::is_known(&base)
        || WRITERS.contains(&base.as_str())
        || base != ":" && PLAIN.contains(&base.as_str())
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

/// Letters of other scripts, invisible and control characters have no place in a program's name, nor spaces in a name
/// that is looked up.
fn readable_name(name: &str, segment: &str) -> Result<(), Denial> {
    let is_path = name.contains('/');
    let odd = name.chars().find(|c| {
        let is_latin = is_path && matches!(c, '\u{c0}'..='\u{24f}');
        c.is_control() || (!c.is_ascii() && !is_latin) || (c.is_whitespace() && !is_path)
    });
    match odd {
        Some(odd) => {
            let hint = format!("the program's name holds {:?} (U+{:04X})", odd, u32::from(odd));
            Err(Denial::new(Rule::OddCharacters, segment, hint))
        }
        None => Ok(()),
    }
}

fn names_secret(word: &Word) -> bool {
    match word.known() {
        Some(text) => (word.tilde || text.starts_with('/')) && paths::is_secret(text),
        None => paths::is_secret(&word.source),
    }
}

/// An unknown program whose later word is git or a shell is taken for a wrapper that nobody can look through.
pub(super) fn later_words(run: &Run<'_>, program: &Program<'_>, state: &State) -> Result<(), Denial> {
    let starts = |word: &str| {
        let is_name = !word.contains('/') || word.starts_with('/');
        is_name && starts_commands(word)
    };
    for text in program.words.iter().skip(1).filter_map(Word::known) {
        let value = match text.split_once('=') {
            Some((option, value)) if option.starts_with('-') => value,
            _ => text,
        };
        if starts(value) {
            let hint = "start git and shells directly, not through another program";
            return Err(Denial::new(Rule::Wrapper, program.segment, hint));
        }
        let mut parts = value.split_whitespace();
        let is_command = parts.next().is_some_and(starts) && parts.next().is_some();
        if is_command {
            run.script(value, &mut state.clone())?;
        }
    }
    Ok(())
}

/// Programs whose arguments are paths that they change.
const WRITERS: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "mkdir", "touch", "truncate", "chmod", "chown", "chgrp", "tee", "mv",
    "ln", "cp", "install", "dd", "sed",
];

/// Early word about paths that the sandbox would refuse: only those that stand in the line are looked at.
fn written_paths(
    run: &Run<'_>,
    program: &Program<'_>,
    base: &str,
    state: &State,
) -> Option<Result<(), Denial>> {
    if !WRITERS.contains(&base) {
        return None;
    }
    let arguments = &program.words[1..];
    let operands: Vec<&Word> = arguments
        .iter()
        .filter(|word| !word.prefix.starts_with('-') && word.text.is_some())
        .collect();
    let has = |options: &[&str]| {
        arguments.iter().filter_map(Word::known).any(|word| {
            options.iter().any(|option| {
                let is_cluster = word.starts_with('-') && !word.starts_with("--") && option.len() == 1;
                if is_cluster {
                    word.contains(option)
                } else {
                    word.starts_with(&format!("--{option}"))
                }
            })
        })
    };
    let targets: Vec<&Word> = match base {
        "cp" | "install" => operands.into_iter().next_back().into_iter().collect(),
        "sed" if !has(&["i", "in-place"]) => Vec::new(),
        "sed" if has(&["e", "f", "expression", "file"]) => operands,
        "sed" => operands.into_iter().skip(1).collect(),
        "dd" => return Some(dd(run, program, state)),
        _ => operands,
    };
    Some(targets.into_iter().try_for_each(|word| target(run, word, state)))
}

fn target(run: &Run<'_>, word: &Word, state: &State) -> Result<(), Denial> {
    let path = word.known().unwrap_or_default();
    // The sandbox gives every task its own temporary folder.
    let is_temporary = ["/tmp/", "/var/tmp/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        && !path.contains("..");
    if path.is_empty() || is_temporary || (!word.tilde && state.resolve(path).is_none()) {
        return Ok(());
    }
    redirect::written(run, word, &word.source, state)
}

fn dd(run: &Run<'_>, program: &Program<'_>, state: &State) -> Result<(), Denial> {
    let outputs = program.words.iter().filter_map(Word::known);
    outputs
        .filter_map(|word| word.strip_prefix("of="))
        .try_for_each(|path| target(run, &Word::literal(path), state))
}
