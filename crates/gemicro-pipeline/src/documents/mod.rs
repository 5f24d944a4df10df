//! The documents of a task: names, places, backlog, archive.
//!
//! All of it is pure: texts in, texts out. Who writes files and commits them is elsewhere; what a document must say is for
//! `evidence` to judge.

mod archive;
mod backlog;
mod decision;
mod feature;
mod name;

pub use archive::{ArchiveMove, archive_moves, archive_path, moved_to};
pub use backlog::{BacklogOrigin, add_to_backlog};
pub use decision::{DecisionText, decision_document};
pub use feature::{Feature, FeatureError};
pub use name::document_name;
