//! `find` and `fd`: judges the commands of their actions.

use super::super::program::{self, Program, later_words};
use super::super::redirect;
use super::super::run::PolicyRun;
use super::super::state::ShellState;
use super::super::word::ShellWord;
use super::super::writer;
use super::opaque;
use crate::policy::decision::Denial;

/// The programs that this module judges.
pub(super) const NAMES: &[&str] = &["find", "gfind", "fd", "fdfind"];

const ACTIONS: &[&str] = &[
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
    "-x",
    "-X",
    "--exec",
    "--exec-batch",
];
/// Actions that write the file they name.
const FILES: &[&str] = &["-fprint", "-fprint0", "-fprintf", "-fls"];

/// Judges every command that the search would start.
pub(super) fn judge(run: &PolicyRun<'_>, program: &Program<'_>, state: &ShellState) -> Result<(), Denial> {
    let words = &program.words[1..];
    judge_delete(run, words, state)?;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        match word.exact_text() {
            Some(action) if ACTIONS.contains(&action) => {
                let rest = &words[at..];
                let length = rest
                    .iter()
                    .position(|word| matches!(word.exact_text(), Some(";" | "+")))
                    .unwrap_or(rest.len());
                at += length;
                command(run, program, &rest[..length], state)?;
            }
            Some(action) if FILES.contains(&action) => {
                let path = words.get(at).ok_or_else(|| opaque(program))?;
                redirect::judge_written_path(run, path, program.segment, state)?;
            }
            Some(_) => {}
            // It may become an action when the line runs, and the words after it a command.
            None if word.may_be_option() => later_words(run, program, state)?,
            None => {}
        }
    }
    Ok(())
}

/// Judges `-delete` and commands that change the files found, by the folders where the search starts.
fn judge_delete(run: &PolicyRun<'_>, words: &[ShellWord], state: &ShellState) -> Result<(), Denial> {
    let changes = words
        .iter()
        .enumerate()
        .any(|(at, word)| match word.exact_text() {
            Some("-delete") => true,
            Some(action) if ACTIONS.contains(&action) => words
                .get(at + 1)
                .and_then(ShellWord::exact_text)
                .is_some_and(|name| writer::changes_operands(&program::base_name(name))),
            _ => false,
        });
    if !changes {
        return Ok(());
    }
    let is_root = |word: &&ShellWord| !word.prefix.starts_with(['-', '(', '!', ')', ',']);
    words
        .iter()
        .skip_while(|word| matches!(word.exact_text(), Some("-H" | "-L" | "-P")))
        .take_while(is_root)
        .try_for_each(|root| writer::target(run, root, state))
}

fn command(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    words: &[ShellWord],
    state: &ShellState,
) -> Result<(), Denial> {
    let words: Vec<ShellWord> = words
        .iter()
        .map(|word| match word.exact_text() {
            Some(text) if text.contains('{') && text.contains('}') => ShellWord {
                splits: text == "{}",
                prefix: text.split('{').next().unwrap_or_default().to_owned(),
                ..ShellWord::unknown(text)
            },
            _ => word.clone(),
        })
        .collect();
    if words.is_empty() {
        return Err(opaque(program));
    }
    let next = Program {
        words: &words,
        stdin: program.stdin.clone(),
        segment: program.segment,
    };
    // `-execdir` starts the command in the folder of each file found, which is not known here.
    let mut inner = state.clone();
    let in_folder = program
        .words
        .iter()
        .any(|word| matches!(word.exact_text(), Some("-execdir" | "-okdir")));
    if in_folder {
        inner.lose();
    }
    program::judge(run, &next, &mut inner)
}
