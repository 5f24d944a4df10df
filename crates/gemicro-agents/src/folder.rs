//! Folders in gemicro's state folder: readable only by the user, and locked by one run at a time.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// Interval and number of tries for a lock that seems to be held.
const MOMENT: Duration = Duration::from_millis(10);
const MOMENTS: u32 = 20;

/// Takes a lock; false if another process has it. A child process that was just started has a copy of our locks until
/// it calls exec, so a released lock may seem to be held for a moment.
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

/// Creates a folder and its parents.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| folder_failure(path, &error))
}

/// Writes a new file; fails if it exists. Removes it if it cannot be written completely.
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

/// A failure with a path in the state folder.
pub(super) fn folder_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ErrorKind::StorageError, format!("{}: {error}", path.display()))
}
