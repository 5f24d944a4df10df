//! An index that stays in a folder: `build_in`, `open` and `open_or_build` of [`PassageIndex`].
//!
//! It is built in a temporary folder and then renamed, so a killed build leaves no partial index. If two processes
//! build the same index, the first to finish wins. The folder is a cache: it may be removed at any time while no
//! process has it open.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_core::corpus::Document;

use super::index_file::IndexFile;
use super::passage_index::write_all;
use super::{IndexError, PassageIndex};

/// The only file of the folder.
const INDEX_FILE: &str = "passages.index";
/// Unfinished folders of builds that were killed are removed after this time.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

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
            remove_stale(parent, folder);
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
                    let _ = fs::remove_dir_all(&removing).or_else(|_| fs::remove_file(&removing));
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

/// Removes what killed builds of the same index left behind long ago.
fn remove_stale(parent: &Path, folder: &Path) {
    let prefix = unfinished_prefix(folder);
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(&prefix);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > STALE_AFTER) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
