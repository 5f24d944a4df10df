//! Programs that write the paths they are given: denies early what the sandbox would refuse anyway.
//!
//! Only paths written in the line are checked, by the part that is known. Paths that only the running shell knows are
//! left to the sandbox.

mod special;
mod table;

use super::program::Program;
use super::redirect;
use super::run::PolicyRun;
use super::state::ShellState;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;
use table::{Operands, WriterRule, find};

/// Programs whose other arguments are data.
const DATA: &[&str] = &["dd", "sed", "ln"];

/// Whether the program is judged here, so that a line must not redefine it.
pub(super) fn is_known(base: &str) -> bool {
    DATA.contains(&base) || base == "tar" || find(base).is_some()
}

/// Whether a later word `git` or `sh` is only data to the program.
pub(super) fn is_plain(base: &str) -> bool {
    let is_plain =
        |writer: &WriterRule| !["rsync", "curl", "wget", "zip", "7z", "split"].contains(&writer.names[0]);
    DATA.contains(&base) || find(base).is_some_and(is_plain)
}

/// Whether a program changes every path it is given.
pub(super) fn changes_operands(base: &str) -> bool {
    matches!(base, "sed" | "ln") || find(base).is_some_and(|writer| writer.operands == Operands::All)
}

/// Judges the paths that a program would write.
pub(super) fn judge(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    base: &str,
    state: &ShellState,
) -> Result<(), Denial> {
    let words = &program.words[1..];
    let targets = match base {
        "dd" => return special::dd(run, words, state),
        "ln" => return special::link(run, words, state),
        "sed" => special::sed(words),
        "perl" | "ruby" => special::in_place(words),
        "tar" | "bsdtar" | "gtar" => return special::tar(run, words, state),
        _ => match find(base) {
            Some(writer) => table::written_words(writer, words),
            None => return Ok(()),
        },
    };
    targets.iter().try_for_each(|word| target(run, word, state))
}

/// Judges one path that would be written.
pub(super) fn target(run: &PolicyRun<'_>, word: &ShellWord, state: &ShellState) -> Result<(), Denial> {
    let Some(path) = word.exact_text() else {
        return judge_path_prefix(run, word, state);
    };
    // The sandbox gives every task its own temporary folder.
    let is_temporary = ["/tmp/", "/var/tmp/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        && !path.contains("..");
    let is_unknown = !word.tilde && state.resolve(path).is_none();
    if path.is_empty() || path == "-" || is_temporary || is_unknown {
        return Ok(());
    }
    redirect::judge_written_path(run, word, &word.source, state)
}

/// Judges a path of which only the beginning is known, such as `../*` or `.g*`.
fn judge_path_prefix(run: &PolicyRun<'_>, word: &ShellWord, state: &ShellState) -> Result<(), Denial> {
    let is_home = ["$HOME", "${HOME}"]
        .iter()
        .any(|home| word.source.trim_start_matches('"').starts_with(home));
    if is_home || word.tilde {
        let hint = "stay inside the worktree; nothing outside it can be used";
        return Err(Denial::new(
            PolicyRule::OutsideWorktree,
            word.source.clone(),
            hint,
        ));
    }
    let (folder, name) = match word.prefix.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), word.prefix.as_str()),
    };
    // A pattern such as `.g*` also matches git's own folder.
    let name = name.to_lowercase();
    if word.splits && name.starts_with('.') && ".git".starts_with(&name) {
        let hint = "only git commands may change git's own folder";
        return Err(Denial::new(PolicyRule::GitMetadata, word.source.clone(), hint));
    }
    if folder.is_empty() || folder.contains('{') {
        return Ok(());
    }
    let known = ShellWord {
        source: word.source.clone(),
        ..ShellWord::literal(&folder)
    };
    target(run, &known, state)
}
