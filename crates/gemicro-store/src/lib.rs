//! The durable memory of gemicro: journal, blobs, leases, commands and lists on one SQLite file.
//!
//! [`SqliteStore`] keeps the contract of [`gemicro_core::store::Store`] and [`gemicro_core::blob::Blobs`].
//! It does not know who produced an event or what a flow means by it.
//!
//! Where things are: `home` (the folder and its modes), `open` (format and connections), `writer` (group
//! commit and fences), `read` and `subscribe` (the way out), `runs`, `conversations` and `dead_letters` (lists), `find` (ids),
//! `erase`,
//! `prune`, `rebuild`, `check` (upkeep). What is SQLite's own lies in `open`, `rows` and `error`.

mod blob_files;
mod blobs;
mod check;
mod columns;
mod commands;
mod conversations;
mod dead_letters;
mod erase;
mod error;
mod find;
mod home;
mod open;
mod prune;
mod read;
mod rebuild;
mod rows;
mod runs;
mod snapshots;
mod store;
mod subscribe;
mod wake;
mod writer;

pub use check::StoreCheck;
pub use conversations::StoredConversation;
pub use dead_letters::{DeadLetterFilter, DeadLetterRow};
pub use erase::{Erased, Swept};
pub use find::FindStreamError;
pub use prune::{PruneReport, PruneRule};
pub use rebuild::RebuildReport;
pub use runs::RunFilter;
pub use store::{Options, SqliteStore};
