//! Starts the child process that reads one document. No other code of this crate starts a process.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::Signal;

use super::contained::{MAX_CPU_SECONDS, MAX_MEMORY, ReaderAnswer};
use super::read::OfficeText;

/// Maximum size of an answer in bytes: the text of a document, its blocks, and the JSON around them.
const MAX_ANSWER: u64 = 128 << 20;

/// The program that reads PDF, office files, books and mail: it passes its last argument and its standard input to
/// [`read_contained`](super::read_contained) and prints the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderProgram {
    /// Path of the program.
    pub program: PathBuf,
    /// Its arguments before the file name.
    pub arguments: Vec<OsString>,
}

/// Reads a document in a child process; the error says why there is no text.
pub(crate) fn read_in_child(reader: &ReaderProgram, name: &str, file: File) -> io::Result<ReaderAnswer> {
    let mut child = Command::new(&reader.program)
        .args(&reader.arguments)
        .arg(name)
        .env_clear()
        .current_dir("/")
        .stdin(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut answer = Vec::new();
    let read = match child.stdout.take() {
        Some(stdout) => stdout.take(MAX_ANSWER).read_to_end(&mut answer),
        None => Ok(0),
    };
    // A child that still writes has exceeded the limit; for one that ended this does nothing.
    let _ = child.kill();
    let status = child.wait()?;
    read?;
    Ok(judge(status, &answer))
}

fn judge(status: ExitStatus, answer: &[u8]) -> ReaderAnswer {
    if let Ok(answer) = serde_json::from_slice::<Result<OfficeText, String>>(answer) {
        return answer;
    }
    if answer.len() as u64 >= MAX_ANSWER {
        return Err(format!("contains more than {} MB of text", MAX_ANSWER >> 20));
    }
    let ended_by = |signal: Signal| status.signal() == Some(signal.as_raw());
    if ended_by(Signal::XCPU) || ended_by(Signal::KILL) {
        return Err(format!("takes more than {MAX_CPU_SECONDS} seconds to read"));
    }
    if ended_by(Signal::ABORT) || ended_by(Signal::SEGV) {
        let n_megabytes = MAX_MEMORY >> 20;
        return Err(format!(
            "needs more than {n_megabytes} MB of memory, or is nested too deeply"
        ));
    }
    Err("broken: its parser failed".to_owned())
}
