//! An index that stays in a folder: `build_in`, `open` and `open_or_build` of [`PassageIndex`].
//!
//! It is built in a temporary folder and then renamed, so a killed build leaves no partial index. If two processes
//! build the same index, the first to finish wins. The folder is a cache: it may be removed at any time while no
//! process has it open.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use gemicro_core::corpus::Document;

use super::index_file::IndexFile;
use super::passage_index::write_all;
use super::{IndexError, PassageIndex};

/// The only file of the folder.
const INDEX_FILE: &str = "passages.index";

impl PassageIndex {
    /// Opens an index and checks that it is whole.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let damaged = |reason: String| IndexError::Damaged {
            folder: folder.to_path_buf(),
            reason,
        };
        if !folder.exists() {
            return Err(IndexError::NotFound {
                folder: folder.to_path_buf(),
            });
        }
        let file = IndexFile::open(&folder.join(INDEX_FILE)).map_err(damaged)?;
        Ok(Self::over(file))
    }

    /// Builds the index in a folder, or opens the one that another process has put there meanwhile.
    pub fn build_in(folder: &Path, documents: &[Document]) -> Result<Self, IndexError> {
        let io_error = |source: io::Error| IndexError::Io {
            folder: folder.to_path_buf(),
            source,
        };
        let building = beside(folder, "building");
        if let Some(parent) = building.parent() {
            fs::create_dir_all(parent).map_err(io_error)?;
            remove_unlocked(parent, &unfinished_prefix(folder));
        }
        // Held until the build is done, so that the cleanup of abandoned builds skips this folder.
        let _held = create_held(&building).map_err(io_error)?;
        let moved = build_file(&building, documents).map_err(io_error).and_then(|()| {
            match fs::rename(&building, folder) {
                Ok(()) => Ok(()),
                Err(_) if folder.exists() => Ok(()),
                Err(error) => Err(io_error(error)),
            }
        });
        // After a successful rename there is nothing left to remove.
        let _ = fs::remove_dir_all(&building);
        moved?;
        Self::open(folder)
    }

    /// Opens the index; builds it if it is missing or damaged.
    pub fn open_or_build(folder: &Path, documents: &[Document]) -> Result<Self, IndexError> {
        match Self::open(folder) {
            Err(IndexError::NotFound { .. }) => Self::build_in(folder, documents),
            Err(IndexError::Damaged { reason, .. }) => {
                tracing::warn!(folder = %folder.display(), reason, "damaged index is built again");
                // Renamed first, so that another process never sees it half removed.
                let removing = beside(folder, "removing");
                if fs::rename(folder, &removing).is_ok() {
                    let _ = remove(&removing);
                }
                Self::build_in(folder, documents)
            }
            other => other,
        }
    }
}

/// Creates a folder and locks it. If a cleanup removed it before the lock was taken, it is created again.
fn create_held(folder: &Path) -> io::Result<fs::File> {
    for _ in 0..8 {
        fs::create_dir_all(folder)?;
        let Ok(held) = fs::File::open(folder) else {
            continue;
        };
        held.lock()?;
        if folder.exists() {
            return Ok(held);
        }
    }
    Err(io::Error::other("another process keeps removing the folder"))
}

fn build_file(folder: &Path, documents: &[Document]) -> io::Result<()> {
    let mut file = io::BufWriter::new(fs::File::create(folder.join(INDEX_FILE))?);
    write_all(&mut file, documents)
}

/// A unique name in the same parent folder.
fn beside(folder: &Path, purpose: &str) -> PathBuf {
    let random = RandomState::new().build_hasher().finish();
    folder.with_file_name(format!("{}-{random:016x}", unfinished_prefix(folder) + purpose))
}

fn unfinished_prefix(folder: &Path) -> String {
    format!(".{}.", folder.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes what killed builds of the same index left behind. A build in progress holds a lock on its folder.
fn remove_unlocked(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        let path = entry.path();
        let Ok(unfinished) = fs::File::open(&path) else {
            continue;
        };
        if unfinished.try_lock().is_ok() {
            // What cannot be removed is left for the next time.
            let _ = remove(&path);
        }
    }
}

/// Removes a folder, or the file that a damaged index has in its place.
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path).or_else(|_| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unfinished_builds_that_no_process_has_locked_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("index");
        let (held, left) = (beside(&folder, "building"), beside(&folder, "building"));
        let lock = create_held(&held).unwrap();
        lock.set_modified(std::time::UNIX_EPOCH).unwrap();
        drop(create_held(&left).unwrap());
        fs::write(left.join(INDEX_FILE), "half").unwrap();
        let removing = beside(&folder, "removing");
        fs::write(&removing, "damaged").unwrap();
        PassageIndex::build_in(&folder, &[]).unwrap();
        let exists = [&held, &left, &removing, &folder].map(|path| path.exists());
        assert_eq!(exists, [true, false, false, true]);
    }
}
