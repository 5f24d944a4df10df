//! Entry points: judge a command given as one string, or as a list of words.

use std::path::Path;

use super::program::{self, CommandInput, Program};
use super::run::PolicyRun;
use super::state::ShellState;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::paths::Roots;

/// Judges a whole command line.
pub(in crate::policy) fn line(roots: &Roots<'_>, cwd: &Path, text: &str) -> Result<(), Denial> {
    let run = PolicyRun::new(roots);
    run.script(text, &mut ShellState::new(cwd))
}

/// Judges a command that is started without a shell.
pub(in crate::policy) fn words(roots: &Roots<'_>, cwd: &Path, words: &[&str]) -> Result<(), Denial> {
    let run = PolicyRun::new(roots);
    let segment = words.join(" ");
    let words: Vec<ShellWord> = words.iter().map(|word| ShellWord::literal(word)).collect();
    let program = Program {
        words: &words,
        stdin: CommandInput::Inherited,
        segment: &segment,
    };
    program::judge(&run, &program, &mut ShellState::new(cwd))
}
