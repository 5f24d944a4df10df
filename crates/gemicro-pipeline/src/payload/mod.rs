//! Takes the small JSON object out of an agent's answer, and says what speaks against using it.
//!
//! # Theory of operation
//!
//! [`read`] is the whole way: the answer is freed of terminal sequences (`clean`) and of thoughts (`thoughts`), the
//! blocks that carry the step's [`Nonce`] are found (`blocks`), read by a strict JSON reader with five repairs (`json`)
//! and held against the [`PayloadShape`] of the role (`fit`). Without such a block the last object that stands alone is taken
//! (`block_walk`), and marked as untagged. What is found is a [`AgentPayload`]; [`marks`] says which later rule refuses it.
//! An agent that can may also hand it in by a tool (`submission`); [`read_with`] takes that for one block more.
//!
//! One sentence decides every doubt: a false APPROVE or PASS is never acceptable, asking the agent again is cheap.
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
