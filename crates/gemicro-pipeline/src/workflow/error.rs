//! What is wrong with a workflow file, and where.
//!
//! The main type is [`WorkflowError`]. It names no file: whoever read the text knows where it was.

use std::fmt;

use serde::Serialize;

/// A text that is no workflow, or one that must not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// The text cannot be read as a workflow; reading ended at the first fault.
    #[error("{0}")]
    Unreadable(WorkflowProblem),
    /// It can be read, but breaks rules. In the order of the file, at least one.
    #[error("{}", lines(.0))]
    Unsound(Vec<WorkflowProblem>),
}

impl WorkflowError {
    /// All that is wrong, in the order of the file.
    #[must_use]
    pub fn problems(&self) -> &[WorkflowProblem] {
        match self {
            Self::Unreadable(problem) => std::slice::from_ref(problem),
            Self::Unsound(problems) => problems,
        }
    }
}

/// One thing that is wrong. Lines and columns start at 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct WorkflowProblem {
    /// Line in the workflow file.
    pub line: u64,
    /// Column in that line.
    pub column: u64,
    /// The key it is about, such as `phases.plan.next`; empty where the text could not be read so far.
    pub key: String,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl fmt::Display for WorkflowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            key,
            message,
        } = self;
        match key.as_str() {
            "" => write!(f, "{line}:{column}: {message}"),
            key => write!(f, "{line}:{column}: {key}: {message}"),
        }
    }
}

fn lines(problems: &[WorkflowProblem]) -> String {
    let lines: Vec<String> = problems.iter().map(WorkflowProblem::to_string).collect();
    lines.join("\n")
}
