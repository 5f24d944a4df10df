//! Finds the workflow of a project.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gemicro_event::Failure;

use super::{Workflow, default_workflow};

/// Reads the workflow of a folder, with a function from the caller. It runs each time, because files may change while a
/// worker runs.
#[derive(Clone)]
pub struct WorkflowReader(Arc<ReadResult>);

type ReadResult = dyn Fn(&Path) -> Result<Workflow, Failure> + Send + Sync;

impl WorkflowReader {
    /// Creates a reader from this function.
    pub fn new(read: impl Fn(&Path) -> Result<Workflow, Failure> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Returns the current workflow of a folder.
    ///
    /// # Errors
    /// When its file is not usable.
    pub fn read(&self, folder: &Path) -> Result<Workflow, Failure> {
        (self.0)(folder)
    }
}

impl Default for WorkflowReader {
    fn default() -> Self {
        Self::new(|_| Ok(default_workflow()))
    }
}

impl fmt::Debug for WorkflowReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkflowReader")
    }
}
