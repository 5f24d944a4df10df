//! The documents of a task: names, paths, backlog and archive.
//!
//! Everything here is pure: text in, text out. Other modules write and commit the files, and `evidence` judges their
//! content.

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
