//! The lock and the socket of a worker, in its state folder.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use tokio::net::{UnixListener, UnixStream};

/// Maximum length of a path in a socket address.
const MAX_ADDRESS: usize = 100;

/// The lock for being the worker of a store; released on drop, or when the process dies.
#[derive(Debug)]
pub(super) struct Lock {
    folder: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock; `None` if another process has it.
    pub(super) fn take(home: &Path) -> Result<Option<Self>, Failure> {
        let folder = folder(home);
        let failed = |error: io::Error| storage(&folder, &error);
        let mut builder = fs::DirBuilder::new();
        builder
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .map_err(failed)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        let file = open_lock(&folder, true).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self { folder, file })),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// Opens the socket, replacing one that a dead worker left.
    pub(super) fn listen(&self) -> Result<UnixListener, Failure> {
        let path = self.folder.join("socket");
        let failed = |error: io::Error| storage(&path, &error);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = at_address(&self.folder, |address| UnixListener::bind(address)).map_err(failed)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(listener)
    }

    /// Whether the lock file is still this one; its folder may have been deleted.
    pub(super) fn is_in_place(&self) -> bool {
        let own = self.file.metadata().map(|about| (about.dev(), about.ino()));
        let there = fs::symlink_metadata(self.folder.join("lock")).map(|about| (about.dev(), about.ino()));
        matches!((own, there), (Ok(own), Ok(there)) if own == there)
    }

    /// Whether the socket exists.
    pub(super) fn has_socket(&self) -> bool {
        self.folder.join("socket").exists()
    }

    /// Removes the socket, so that no client can call any more.
    pub(super) fn close(&self) {
        if let Err(error) = fs::remove_file(self.folder.join("socket")) {
            tracing::debug!(%error, "the worker's socket stays");
        }
    }
}

/// Whether no worker runs over this state folder.
#[must_use]
pub fn is_free(home: &Path) -> bool {
    let Ok(file) = open_lock(&folder(home), false) else {
        return true;
    };
    flock(&file, FlockOperation::NonBlockingLockShared).is_ok()
}

pub(super) async fn connect(home: &Path) -> io::Result<UnixStream> {
    let folder = folder(home);
    if folder.join("socket").as_os_str().len() <= MAX_ADDRESS {
        return UnixStream::connect(folder.join("socket")).await;
    }
    let open = File::open(&folder)?;
    UnixStream::connect(through(&open)).await
}

fn folder(home: &Path) -> PathBuf {
    home.join("worker")
}

fn open_lock(folder: &Path, create: bool) -> io::Result<File> {
    fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(create)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(folder.join("lock"))
}

/// Binds or connects to the socket. Socket addresses are short, so a long path is reached through its open folder.
fn at_address<T>(folder: &Path, mut act: impl FnMut(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = folder.join("socket");
    if path.as_os_str().len() <= MAX_ADDRESS {
        return act(&path);
    }
    let open = File::open(folder)?;
    act(&through(&open))
}

fn through(folder: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/socket", folder.as_raw_fd()))
}

fn storage(path: &Path, error: &io::Error) -> Failure {
    Failure::new(ErrorKind::StorageError, format!("{}: {error}", path.display()))
}
