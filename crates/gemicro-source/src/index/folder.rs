//! An index that stays in a folder: `build_in`, `open` and `open_or_build` of [`PassageIndex`].
//!
//! It is built beside its place and renamed into it, so a killed build leaves no half index, and of two
//! processes that build the same one the first to finish wins. The folder is a cache: it may be removed at
//! any time while nobody has it open.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_core::corpus::Document;
use serde::{Deserialize, Serialize};
use tantivy::Index;

use super::fields::{self, Fields};
use super::passage_index::write_all;
use super::{IndexError, PassageIndex};

/// Raised when fields or tokenizers change: an older folder then counts as damaged and is built again.
const VERSION: u32 = 3;
/// Written last, so a folder without it is no index.
const LABEL_FILE: &str = "gemicro-index.json";
/// Unfinished folders of builds that were killed are removed after this time.
const STALE_AFTER: Duration = Duration::from_secs(60 * 60);

#[derive(Serialize, Deserialize)]
struct Label {
    version: u32,
    n_passages: u64,
}

impl PassageIndex {
    /// Opens an index and checks that it is whole.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let damaged = |reason: String| IndexError::Damaged {
            folder: folder.to_path_buf(),
            reason,
        };
        let label = match fs::read(folder.join(LABEL_FILE)) {
            Ok(label) => label,
            Err(_) if !folder.exists() => {
                return Err(IndexError::NotFound {
                    folder: folder.to_path_buf(),
                });
            }
            Err(error) => return Err(damaged(error.to_string())),
        };
        let label: Label = serde_json::from_slice(&label).map_err(|error| damaged(error.to_string()))?;
        if label.version != VERSION {
            return Err(damaged(format!("version {} is not {VERSION}", label.version)));
        }
        let (fields, schema) = Fields::schema();
        let mut index = Index::open_in_dir(folder).map_err(|error| damaged(error.to_string()))?;
        if index.schema() != schema {
            return Err(damaged("its fields are others".to_owned()));
        }
        index.set_tokenizers(fields::tokenizers());
        let bad_files = index
            .validate_checksum()
            .map_err(|error| damaged(error.to_string()))?;
        if let Some(file) = bad_files.iter().min() {
            return Err(damaged(format!("{} has a wrong checksum", file.display())));
        }
        let opened = Self::over(&index, fields).map_err(|error| damaged(error.to_string()))?;
        if opened.n_passages() != label.n_passages {
            return Err(damaged(format!(
                "{} passages instead of {}",
                opened.n_passages(),
                label.n_passages
            )));
        }
        Ok(opened)
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
        // Held until it is done: whoever removes what killed builds left behind leaves it alone.
        let _held = create_held(&building).map_err(io_error)?;
        let moved = build_files(&building, documents).and_then(|()| match fs::rename(&building, folder) {
            Ok(()) => Ok(()),
            Err(_) if folder.exists() => Ok(()),
            Err(error) => Err(io_error(error)),
        });
        // After a successful rename there is nothing left to remove.
        let _ = fs::remove_dir_all(&building);
        moved?;
        Self::open(folder)
    }

    /// Opens the index; builds it where there is none, and builds it again where it is damaged.
    pub fn open_or_build(folder: &Path, documents: &[Document]) -> Result<Self, IndexError> {
        match Self::open(folder) {
            Err(IndexError::NotFound { .. }) => Self::build_in(folder, documents),
            Err(IndexError::Damaged { reason, .. }) => {
                tracing::warn!(folder = %folder.display(), reason, "damaged index is built again");
                // Moved away first: another process never sees it half removed.
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

/// Makes a folder and locks it. One that is removed before it is locked was taken for a leftover, and is made again.
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

fn build_files(folder: &Path, documents: &[Document]) -> Result<(), IndexError> {
    let (fields, schema) = Fields::schema();
    let index = Index::builder()
        .schema(schema)
        .tokenizers(fields::tokenizers())
        .create_in_dir(folder)?;
    write_all(&index, &fields, documents)?;
    let n_passages = PassageIndex::over(&index, fields)?.n_passages();
    let label = serde_json::to_vec(&Label {
        version: VERSION,
        n_passages,
    })?;
    fs::write(folder.join(LABEL_FILE), label).map_err(|source| IndexError::Io {
        folder: folder.to_path_buf(),
        source,
    })
}

/// A name of its own in the same parent folder.
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
