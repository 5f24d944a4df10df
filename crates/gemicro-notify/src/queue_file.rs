//! The file of the queue: [`QueueFile`]. Changes are made under a lock and replace the file as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FlockOperation;

use crate::queue::DeliveryQueue;

/// Number of attempts to get the lock, and the pause between them.
const TRIES: u32 = 500;
const PAUSE: Duration = Duration::from_millis(20);

/// The file of the queue in a state folder.
#[derive(Debug, Clone)]
pub struct QueueFile {
    folder: PathBuf,
}

/// The right to change the file; released on drop.
#[derive(Debug)]
pub(crate) struct QueueLock {
    path: PathBuf,
    _lock: File,
}

impl QueueFile {
    /// The file of this state folder.
    #[must_use]
    pub fn of(home: &Path) -> Self {
        Self {
            folder: home.join("notify"),
        }
    }

    /// The current state; empty if there is none yet.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self) -> io::Result<DeliveryQueue> {
        Ok(load(&self.path())?.unwrap_or_default())
    }

    /// Waits until no other process changes the file.
    pub(crate) async fn lock(&self) -> io::Result<QueueLock> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        let lock = private(
            OpenOptions::new().write(true).create(true),
            &self.folder.join("lock"),
        )?;
        for _ in 0..TRIES {
            match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    return Ok(QueueLock {
                        path: self.path(),
                        _lock: lock,
                    });
                }
                Err(rustix::io::Errno::WOULDBLOCK) => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(error.into()),
            }
        }
        let message = format!("{}: another process holds the lock", self.folder.display());
        Err(io::Error::new(io::ErrorKind::TimedOut, message))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("queue.json")
    }
}

impl QueueLock {
    /// The current state; `None` if there is none yet.
    pub(crate) fn load(&self) -> io::Result<Option<DeliveryQueue>> {
        load(&self.path)
    }

    /// Replaces the file, durably.
    pub(crate) fn save(&self, state: &DeliveryQueue) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let mut file = private(OpenOptions::new().write(true).create(true).truncate(true), &new)?;
        file.write_all(&serde_json::to_vec(state)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        File::open(folder)?.sync_all()
    }
}

fn load(path: &Path) -> io::Result<Option<DeliveryQueue>> {
    match fs::read(path) {
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(state) => Ok(Some(state)),
            Err(error) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is damaged: {error}; delete it", path.display()),
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.mode(0o600).open(path)
}
