//! gemicro's record of a task, stored in its folder but out of the agent's reach.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::import::ImportResult;
use super::layout;
use super::slug::Slug;

const NAME: &str = "task.json";
/// Raised when an older gemicro could misread the record.
const VERSION: u32 = 1;

/// The record of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskRecord {
    version: u32,
    pub(super) slug: Slug,
    /// The git directory of the user's repository.
    pub(super) repository: PathBuf,
    /// The commit that the task started from.
    pub(super) base: CommitId,
    /// The last imported commit.
    pub(super) tip: CommitId,
    /// The commit that is being imported. After a crash the branch shows whether the import succeeded.
    pub(super) next: Option<CommitId>,
    /// What the last import brought, or the one of `next`: a step that died before its event was stored reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last: Option<ImportResult>,
}

impl TaskRecord {
    pub(super) fn new(slug: Slug, repository: PathBuf, base: CommitId) -> Self {
        Self {
            version: VERSION,
            slug,
            repository,
            tip: base.clone(),
            base,
            next: None,
            last: None,
        }
    }

    /// Reads the record of a task's folder.
    pub(super) fn read(folder: &Path) -> Result<Self, RepositoryError> {
        let not_a_task = |why: String| RepositoryError::NotATask {
            folder: folder.to_path_buf(),
            why,
        };
        let text =
            std::fs::read_to_string(folder.join(NAME)).map_err(|error| not_a_task(error.to_string()))?;
        let record: Self = serde_json::from_str(&text).map_err(|error| not_a_task(error.to_string()))?;
        if record.version != VERSION {
            return Err(not_a_task(format!(
                "its record has the unsupported version {}",
                record.version
            )));
        }
        Ok(record)
    }

    /// Writes the record atomically. An older one after a power cut does no harm: the branch shows the truth.
    pub(super) fn write(&self, folder: &Path) -> Result<(), RepositoryError> {
        let (path, new) = (folder.join(NAME), folder.join("task.json.new"));
        let failed = |source: std::io::Error| RepositoryError::file("write", &path, source);
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let _ = std::fs::remove_file(&new);
        layout::write_new(&new, &text)?;
        File::open(&new)
            .and_then(|file| file.sync_all())
            .map_err(failed)?;
        std::fs::rename(&new, &path).map_err(failed)
    }
}
