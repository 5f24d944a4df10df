//! Reads the JSON object in an agent's answer, and reports why it must not be used.
//!
//! # Theory of operation
//!
//! [`read`] is the entry point: it removes terminal sequences (`clean`) and thoughts (`thoughts`), finds the blocks
//! with the step's [`Nonce`] (`blocks`), parses them with a strict JSON parser with five repairs (`json`) and checks
//! the [`PayloadShape`] of the role (`fit`). Without such a block, it takes the last object on lines of its own
//! (`block_walk`), marked as untagged. The result is an [`AgentPayload`]; [`marks`] returns which later rule refuses
//! it. An agent may also submit the payload with a tool (`submission`); [`read_with`] treats that like one more block.
//!
//! In doubt: a false APPROVE or PASS is never acceptable, and asking the agent again is cheap.
//! Nothing here opens a file, asks git, or decides what a pipeline does next.

mod backlog;
mod block_walk;
mod blocks;
mod clean;
mod decision;
mod document_path;
mod example;
mod fit;
mod honesty;
mod json;
mod marks;
mod nonce;
mod payload_reading;
mod product;
mod sentences;
mod shape;
mod submission;
mod thoughts;
mod triage;
mod trouble;
mod trouble_words;

#[cfg(test)]
mod tests;

pub use backlog::{MAX_ITEM_CHARACTERS, MAX_ITEMS, clean_backlog};
pub use decision::AgentDecision;
pub use document_path::{DOCUMENT_FOLDER, DocumentPath, PathRefused};
pub use example::{example, tag_line};
pub use honesty::honesty;
pub use marks::{PayloadMarks, marks};
pub use nonce::{Nonce, NonceError};
pub use payload_reading::{PayloadReading, ReadState, read, read_with};
pub use product::{AgentPayload, Feedback};
pub use shape::{PayloadShape, UnknownShape};
pub use submission::{ExpectedSubmission, SUBMIT_TOOL, Submissions};
pub use triage::{FeedbackKind, FeedbackPoint, triage};
