//! File steps of a fake agent, including standard input.

use std::io::{self, BufRead as _, Read as _, Write as _};

use super::script_stage::ScriptStage;
use super::step::{FileText, ReadStdin, Replacement, Until};

/// Creates or replaces a file.
pub(super) fn create(stage: &ScriptStage, wanted: &FileText) -> io::Result<()> {
    std::fs::write(wanted.file.fill(stage), wanted.text.fill(stage))
}

/// Appends to a file, which need not exist.
pub(super) fn append(stage: &ScriptStage, wanted: &FileText) -> io::Result<()> {
    append_text(&wanted.file.fill(stage), &wanted.text.fill(stage))
}

/// Appends text to a file, which need not exist.
pub(super) fn append_text(file: &str, text: &str) -> io::Result<()> {
    let mut open = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
    open.write_all(text.as_bytes())
}

/// Replaces text in a file.
pub(super) fn replace(stage: &ScriptStage, wanted: &Replacement) -> io::Result<()> {
    let (file, old) = (wanted.file.fill(stage), wanted.old.fill(stage));
    let text = std::fs::read_to_string(&file)?;
    if !text.contains(&old) {
        return Err(io::Error::other(format!("`{old}` was not found in {file}")));
    }
    std::fs::write(file, text.replace(&old, &wanted.new.fill(stage)))
}

pub(super) fn read(stage: &mut ScriptStage, wanted: &ReadStdin) -> io::Result<()> {
    let mut bytes = Vec::new();
    match wanted.until {
        Until::Line => stage.stdin.read_until(b'\n', &mut bytes)?,
        Until::End => stage.stdin.read_to_end(&mut bytes)?,
    };
    let text = String::from_utf8_lossy(&bytes);
    stage.heard.push_str(&text);
    match &wanted.save {
        Some(file) => std::fs::write(file.fill(stage), bytes),
        None => Ok(()),
    }
}
