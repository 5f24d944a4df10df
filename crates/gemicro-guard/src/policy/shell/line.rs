//! The entrances: a command as one text, or as a list of words.

use std::path::Path;

use super::program::{self, Program, Stdin};
use super::run::Run;
use super::state::State;
use super::word::Word;
use crate::policy::decision::Denial;
use crate::policy::paths::Roots;

/// Judges a whole command line.
pub(in crate::policy) fn line(roots: &Roots<'_>, cwd: &Path, text: &str) -> Result<(), Denial> {
    let run = Run::new(roots);
    run.script(text, &mut State::new(cwd))
}

/// Judges a command that is started without a shell.
pub(in crate::policy) fn words(roots: &Roots<'_>, cwd: &Path, words: &[&str]) -> Result<(), Denial> {
    let run = Run::new(roots);
    let segment = words.join(" ");
    let words: Vec<Word> = words.iter().map(|word| Word::literal(word)).collect();
    let program = Program {
        words: &words,
        stdin: Stdin::Inherited,
        segment: &segment,
    };
    program::judge(&run, &program, &mut State::new(cwd))
}
