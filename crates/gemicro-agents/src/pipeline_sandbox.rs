//! What an agent's step in a pipeline may write.

use gemicro_guard::repository::{TaskRepo, TaskSandbox};
use gemicro_guard::sandbox::{Profile, WriteMode};

/// Restrictions of an agent's step in a pipeline.
pub(super) struct PipelineSandbox {
    /// Folders of the checkout that it may write; without them all of it.
    pub(super) only: Option<Vec<String>>,
}

impl PipelineSandbox {
    /// The sandbox profile of the agent.
    pub(super) fn profile(&self, task: &TaskRepo, sandbox: TaskSandbox) -> Profile {
        let usual = sandbox.clone();
        let folders: Option<Vec<&str>> = self
            .only
            .as_ref()
            .filter(|only| !only.is_empty())
            .map(|only| only.iter().map(|folder| folder.trim_end_matches('/')).collect());
        match folders {
            // If they cannot be created, because something else has their names, nothing can be written.
            Some(folders) => task.review_profile(sandbox, &folders).unwrap_or_else(|_| {
                task.profile(TaskSandbox {
                    mode: WriteMode::ReadOnly,
                    ..usual
                })
            }),
            None => task.profile(sandbox),
        }
    }
}
