//! The variables of prompt templates.
//!
//! The main type is [`PromptContext`]. Title and payload come from the role instead.

use serde::Serialize;

use crate::workflow::PipelineMode;

/// The inputs of one prompt. Every field is a variable of the same name in the templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptContext {
    /// The user's request.
    pub request: String,
    /// How the task began.
    pub mode: PipelineMode,
    /// The short name of the task, as in file names.
    pub feature: String,
    /// The branch of the task.
    pub branch: String,
    /// Display name of the phase, such as `A.1`.
    pub label: String,
    /// How many times the phase was entered, counted from 1.
    pub round: u32,
    /// The files to read.
    pub reads: Vec<HandedOver>,
    /// Path for the document of the phase.
    pub document: Option<String>,
    /// Why the phase was entered again, already fenced as untrusted text.
    pub feedback: Option<String>,
    /// Remarks of the previous phase that require no change, also fenced.
    pub remarks: Option<String>,
    /// The commands that gemicro will run to verify the work.
    pub checks: Vec<String>,
    /// The required headings of a plan.
    pub plan_sections: Vec<String>,
    /// The line that opens the payload, with the nonce of the step.
    pub tag_line: String,
    /// What was wrong with the last answer, if it is asked for again.
    pub asked_again: Option<String>,
    /// Notes of the project's owner, which the agent must follow.
    pub notes: Option<String>,
    /// Lines of the project's memory, all approved by the owner.
    pub memory: Vec<String>,
    /// Skills of the project with their instructions, all approved by the owner.
    pub skills: Vec<String>,
    /// Whether the agent may propose a skill.
    pub skill_wanted: bool,
}

/// A file that the prompt refers to by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandedOver {
    /// The artifact, such as `plan`.
    pub name: String,
    /// Description for the agent: `the implementation plan`.
    pub title: String,
    /// Path relative to the checkout.
    pub path: String,
}
