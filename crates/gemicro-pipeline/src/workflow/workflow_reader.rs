//! How the workflow of a project is found.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gemicro_event::Failure;

use super::{Workflow, default_workflow};

/// Reads the workflow of a folder. The caller supplies the function that reads it, which runs each time:
/// files may change while a worker runs.
#[derive(Clone)]
pub struct WorkflowReader(Arc<ReadResult>);

type ReadResult = dyn Fn(&Path) -> Result<Workflow, Failure> + Send + Sync;

impl WorkflowReader {
    /// Creates a reader from this function.
    pub fn new(read: impl Fn(&Path) -> Result<Workflow, Failure> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The workflow of a folder, as it is now.
    ///
    /// # Errors
    /// When its file cannot be used.
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
