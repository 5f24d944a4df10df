//! Blob files: `blobs/ab/<sha-256>`, mode 0600, complete and synced before any row refers to them.
//!
//! Blocking file code only. The database knows which stream needs which blob.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use gemicro_core::blob::{BlobError, BlobId};
use gemicro_event::StreamId;

use crate::home::open_private;

/// The folder of blobs; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct BlobFiles {
    root: Arc<Path>,
}

impl BlobFiles {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root: root.into() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a blob.
    pub(crate) fn path(&self, id: &BlobId) -> PathBuf {
        self.root.join(&id.as_str()[..2]).join(id.as_str())
    }

    /// Stores bytes; they and their name are on disk when this returns.
    pub(crate) fn write(&self, id: &BlobId, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(id);
        let folder = self.root.join(&id.as_str()[..2]);
        if fs::symlink_metadata(&folder).is_err() {
            make_folder(&folder)?;
            sync_folder(&self.root)?;
        }
        if read_all(&path).is_ok_and(|found| found == bytes) {
            // Another writer may have renamed it but not synced the folder yet.
            return sync_folder(&folder);
        }
        let temporary = folder.join(format!("new-{}", StreamId::random()));
        let written = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
        if let Err(error) = written {
            // No row refers to a failed write; `sweep` removes the file if this fails.
            fs::remove_file(&temporary).ok();
            return Err(error);
        }
        sync_folder(&folder)
    }

    /// Whether the file exists; its contents are not checked.
    pub(crate) fn has(&self, id: &BlobId) -> bool {
        fs::symlink_metadata(self.path(id)).is_ok_and(|found| found.is_file())
    }

    /// Reads a blob and checks its hash.
    pub(crate) fn read(&self, id: &BlobId) -> Result<Vec<u8>, BlobError> {
        match read_all(&self.path(id)) {
            Ok(bytes) if BlobId::of(&bytes) == *id => Ok(bytes),
            Ok(_) => Err(BlobError::Damaged { id: id.clone() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(BlobError::Missing { id: id.clone() }),
            Err(error) => Err(BlobError::Io {
                id: id.clone(),
                message: error.to_string(),
            }),
        }
    }

    /// Deletes a file and returns its size; 0 if it does not exist.
    pub(crate) fn remove(&self, id: &BlobId) -> io::Result<u64> {
        let path = self.path(id);
        let n_bytes = fs::symlink_metadata(&path).map_or(0, |found| found.len());
        match fs::remove_file(&path) {
            Ok(()) => Ok(n_bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Blobs not modified for `age`; half-written files of that age are deleted.
    pub(crate) fn older_than(&self, age: Duration) -> io::Result<Vec<BlobId>> {
        let mut blobs = Vec::new();
        for folder in fs::read_dir(&self.root)? {
            let folder = folder?;
            if !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                let file = file?;
                let Ok(found) = file.metadata() else { continue };
                let written_at = found.modified().unwrap_or_else(|_| SystemTime::now());
                if written_at.elapsed().unwrap_or_default() < age {
                    continue;
                }
                let name = file.file_name();
                match name.to_str().and_then(BlobId::parse) {
                    Some(id) => blobs.push(id),
                    None if name.as_encoded_bytes().starts_with(b"new-") => fs::remove_file(file.path())?,
                    None => {}
                }
            }
        }
        Ok(blobs)
    }
}

/// Creates a folder; another writer may create the same one at the same time.
fn make_folder(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(0o700)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_private(path, OpenOptions::new().write(true).create_new(true))?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_private(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
