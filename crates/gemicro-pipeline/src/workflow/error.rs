//! Errors in a workflow file, with their positions.
//!
//! The main type is [`WorkflowError`]. It does not name the file; the caller knows it.

use std::fmt;

use serde::Serialize;

/// The text is not a valid workflow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// The text cannot be parsed; parsing stopped at the first error.
    #[error("{0}")]
    Unreadable(WorkflowProblem),
    /// It can be parsed, but breaks rules. At least one problem, in file order.
    #[error("{}", lines(.0))]
    Unsound(Vec<WorkflowProblem>),
}

impl WorkflowError {
    /// All problems, in file order.
    #[must_use]
    pub fn problems(&self) -> &[WorkflowProblem] {
        match self {
            Self::Unreadable(problem) => std::slice::from_ref(problem),
            Self::Unsound(problems) => problems,
        }
    }
}

/// One problem. Lines and columns start at 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct WorkflowProblem {
    /// Line in the workflow file.
    pub line: u64,
    /// Column in that line.
    pub column: u64,
    /// The key it is about, such as `phases.plan.next`; empty if the text could not be parsed.
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
