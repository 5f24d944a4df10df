//! Reads whole files from an answer: fenced blocks whose file is named.

use super::answer::{AnswerLine, FencedBlock};
use super::change::PatchChange;
use super::error::PatchError;
use super::file_name::file_name_of;
use super::read::PatchFiles;
use super::replace::is_marker;

/// Reads every block with a file name; other blocks are examples and commands.
pub(super) fn read_whole_files(
    lines: &[AnswerLine<'_>],
    fenced: &[FencedBlock<'_>],
    files: &mut PatchFiles,
) -> Result<(), PatchError> {
    for block in fenced {
        let is_replacement = block.lines.iter().any(|line| is_marker(line.text));
        if is_replacement || block.is_tagged_diff() {
            continue;
        }
        let Some(path) = file_name_of(block, lines) else {
            continue;
        };
        files.reserve(&path)?;
        if !block.is_closed {
            let line = lines[block.start].number;
            let message =
                format!("the block of `{path}` has no end: the answer was cut off; write a shorter test");
            return Err(PatchError::Malformed { line, message });
        }
        let mut text = String::new();
        for line in &block.lines {
            text.push_str(line.text);
            text.push('\n');
        }
        files.push(path, PatchChange::Write { text });
    }
    Ok(())
}
