//! Reads a batch from a file or from stdin.

use std::fs::File;
use std::io::{ErrorKind as IoErrorKind, Read};
use std::path::Path;

use gemicro_engine::{MAX_BATCH_BYTES, SubmittedBatch, read_batch};
use gemicro_event::{ErrorKind, Failure};

use crate::command_error::CommandError;
use crate::session::Context;

/// Where to see the form of a batch.
const SHAPE: &str = "`gemicro batch --help` shows an example, and `gemicro batch types` lists the task types";

/// Reads a batch.
///
/// # Errors
/// When there is nothing to read, or it is not a batch: with the position.
pub(super) fn read(ctx: &Context, file: &Path) -> Result<SubmittedBatch, CommandError> {
    let (name, bytes) = if file == Path::new("-") {
        ("stdin".to_owned(), stdin(ctx)?)
    } else {
        (file.display().to_string(), bytes_of(file)?)
    };
    read_batch(&bytes).map_err(|error| {
        let failure = Failure::from(error);
        let message = format!("{name}: {}", failure.message);
        CommandError::from(Failure { message, ..failure }).with_hint(SHAPE)
    })
}

fn stdin(ctx: &Context) -> Result<Vec<u8>, CommandError> {
    if ctx.screen.stdin_is_terminal {
        return Err(CommandError::usage(
            "stdin is a terminal; a batch is read from a file or a pipe",
            "give a file, or pipe one: gemicro batch submit - < tasks.json",
        ));
    }
    read_bounded(std::io::stdin()).map_err(|error| unreadable("stdin", &error))
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, CommandError> {
    let name = file.display().to_string();
    if file.is_dir() {
        return Err(CommandError::usage(
            format!("{name} is a folder"),
            "give a file with tasks, or - for stdin",
        ));
    }
    let opened = File::open(file).map_err(|error| unreadable(&name, &error))?;
    read_bounded(opened).map_err(|error| unreadable(&name, &error))
}

/// Reads at most one byte more than a batch may have, to detect one that is too long.
fn read_bounded(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_BATCH_BYTES).unwrap_or(u64::MAX);
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: &std::io::Error) -> CommandError {
    let kind = match error.kind() {
        IoErrorKind::NotFound => ErrorKind::NotFound,
        IoErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        _ => ErrorKind::InvalidInput,
    };
    CommandError::new_failure(
        kind,
        format!("{name} cannot be read: {error}"),
        "give a file with tasks, or - for stdin",
    )
}
