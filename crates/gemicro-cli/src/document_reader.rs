//! This program as the reader of one document, in a separate process.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use gemicro_engine::{ReaderProgram, read_contained};

/// The argument that makes this program read the document on its standard input.
const READ: &str = "__read";

/// The program that reads PDF, office files, books and mail; `None` if this program cannot find its own path.
pub(crate) fn reader_program() -> Option<ReaderProgram> {
    let program = std::env::current_exe().ok()?;
    Some(ReaderProgram {
        program,
        arguments: vec![READ.into()],
    })
}

/// Reads a document if the arguments are `__read NAME`. Must run before everything else, because its limits allow
/// neither threads nor a store.
pub(crate) fn early(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, word, name] = arguments else {
        return None;
    };
    if word != READ {
        return None;
    }
    let answer = read_contained(&name.to_string_lossy(), io::stdin().lock());
    let written = io::stdout().lock().write_all(&answer);
    Some(written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS))
}
