//! Folders of our own in the state folder: made for the user alone, and held by one run at a time.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// How long a lock that seems to be held is waited for: moments, and how many.
const MOMENT: Duration = Duration::from_millis(10);
const MOMENTS: u32 = 20;

/// Takes a lock; false when somebody else has it. A process that was just started somewhere here has a copy of our
/// locks until it becomes its program: one that was let go may seem to be held for a moment.
pub(super) fn hold(lock: &File) -> std::io::Result<bool> {
    for _ in 0..=MOMENTS {
        match flock(lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(MOMENT),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Makes a folder and those above it.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| folder_failure(path, &error))
}

/// Writes a file that is not there yet. One that cannot be written whole is not left.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<File> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
    match file.write_all(bytes) {
        Ok(()) => Ok(file),
        Err(error) => {
            let _ = fs::remove_file(path);
            Err(error)
        }
    }
}

/// A path of ours that does not do what it must.
pub(super) fn folder_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ErrorKind::StorageError, format!("{}: {error}", path.display()))
}
