//! Where data goes: stdout, or a file that appears whole or not at all.
//!
//! Nothing here panics when a reader goes away; that is [`CommandError::PipeClosed`](crate::command_error::CommandError).

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, StreamId, escape_json};
use serde::Serialize;
use serde_json::json;

use crate::args::DataFormat;
use crate::command_error::CommandError;

/// Takes the data of one command.
#[derive(Debug)]
pub(crate) enum CommandOutput {
    Stdout,
    File {
        /// The file to make or replace.
        path: PathBuf,
        /// What it will hold.
        bytes: Vec<u8>,
    },
}

impl CommandOutput {
    /// Stdout, or the file of `--out`.
    pub(crate) fn new(out: Option<&Path>) -> Self {
        match out {
            None => Self::Stdout,
            Some(path) => Self::File {
                path: path.to_owned(),
                bytes: Vec::new(),
            },
        }
    }

    /// Whether the data goes to stdout.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// Takes some data: a text, or whole JSON values. JSON is written without invisible characters.
    pub(crate) fn write(&mut self, data: &[u8]) -> io::Result<()> {
        let data = escape_json(data);
        match self {
            Self::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(&data)?;
                stdout.flush()
            }
            Self::File { bytes, .. } => {
                bytes.extend_from_slice(&data);
                Ok(())
            }
        }
    }

    /// Puts the file in its place. Stdout needs nothing.
    pub(crate) fn finish(&mut self) -> Result<(), CommandError> {
        match self {
            Self::Stdout => Ok(()),
            Self::File { path, bytes } => {
                replace(path, bytes)?;
                say(&format!("Wrote {}", path.display()));
                Ok(())
            }
        }
    }
}

/// Fails early when a file could not be written there later.
pub(crate) fn check_target(path: &Path) -> Result<(), CommandError> {
    let folder = folder_of(path);
    let refuse = |why: String| {
        Err(CommandError::usage(
            format!("{} cannot be written: {why}", path.display()),
            "choose a file in an existing folder",
        ))
    };
    match fs::metadata(folder) {
        Ok(found) if !found.is_dir() => refuse(format!("{} is not a folder", folder.display())),
        Ok(_) if path.is_dir() => refuse("it is a folder".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => refuse(format!("{}: {error}", folder.display())),
    }
}

/// Prints data on stdout.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    CommandOutput::Stdout.write(text.as_bytes())?;
    Ok(())
}

/// Prints a list: for people, as one JSON value, or as one a line.
pub(crate) fn print_rows(
    rows: &[impl Serialize],
    format: DataFormat,
    for_people: impl FnOnce() -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    match format {
        DataFormat::Text => for_people(),
        DataFormat::Json => print(&format!("{}\n", json!(rows))),
        DataFormat::Jsonl => {
            let lines = rows.iter().map(|row| format!("{}\n", json!(row)));
            print(&lines.collect::<String>())
        }
    }
}

/// Says something to the person on stderr. Nobody there is no reason to fail.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Asks something on stderr, without a line end.
pub(crate) fn ask(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "{text}");
    let _ = stderr.flush();
}

/// Writes a file that appears whole or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    // A link is followed; a device or a pipe is written to, never replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = target.as_path();
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return write_through(path, bytes);
    }
    let temporary = folder_of(path).join(format!(".gemicro-{}", StreamId::random()));
    let write = || {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .open(&temporary)?;
        file.set_permissions(Permissions::from_mode(0o644))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&temporary);
        not_written(path, &error)
    })
}

fn write_through(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let opened = OpenOptions::new().write(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| not_written(path, &error))
}

fn not_written(path: &Path, error: &io::Error) -> CommandError {
    CommandError::new_failure(
        ErrorKind::StorageError,
        format!("{} could not be written: {error}", path.display()),
        "check free space and permissions; the result is safe in the store (`gemicro show last`)",
    )
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
