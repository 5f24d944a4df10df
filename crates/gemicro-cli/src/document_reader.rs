//! This program as the reader of one document, in a process of its own.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use gemicro_engine::{ReaderProgram, read_contained};

/// The word that makes this program the reader of the document on its standard input.
const READ: &str = "__read";

/// How PDF, office files, books and mail are read; nothing where this program cannot find itself.
pub(crate) fn reader_program() -> Option<ReaderProgram> {
    let program = std::env::current_exe().ok()?;
    Some(ReaderProgram {
        program,
        arguments: vec![READ.into()],
    })
}

/// Reads a document where the arguments say so: `__read NAME`. It comes before everything else, because its limits allow
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
