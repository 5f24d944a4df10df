//! What a prompt can say: the variables of its template.
//!
//! The main type is [`PromptContext`]. Title and payload come from the role, not from here.

use serde::Serialize;

use crate::workflow::PipelineMode;

/// What one step knows. Every field is a variable of the same name in the templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptContext {
    /// What the user asked for.
    pub request: String,
    /// How the task was entered.
    pub mode: PipelineMode,
    /// The short name of the task, as in file names.
    pub feature: String,
    /// The branch that is worked on.
    pub branch: String,
    /// The phase's name for people, such as `A.1`.
    pub label: String,
    /// How often the phase was entered, from 1.
    pub round: u32,
    /// The files to read.
    pub reads: Vec<HandedOver>,
    /// Where the document of the phase is to be written.
    pub document: Option<String>,
    /// Why the phase is entered again, already fenced as untrusted text.
    pub feedback: Option<String>,
    /// What the phase before remarks although it sent nothing back, fenced, too.
    pub remarks: Option<String>,
    /// The commands that gemicro will run to see whether the work holds.
    pub checks: Vec<String>,
    /// The headings that a plan must have.
    pub plan_sections: Vec<String>,
    /// The line that opens the payload, with the nonce of the step.
    pub tag_line: String,
    /// What was wrong with the last answer, where it is asked for again.
    pub asked_again: Option<String>,
    /// Notes of the project's owner, which are to be followed.
    pub notes: Option<String>,
}

/// A file that is handed over by its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandedOver {
    /// The artifact, such as `plan`.
    pub name: String,
    /// What it is, for the agent: `the implementation plan`.
    pub title: String,
    /// Where it lies, relative to the checkout.
    pub path: String,
}
