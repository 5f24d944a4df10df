//! The durable memory of gemicro: journal, blobs, leases, commands, lists and the queue of steps, on one SQLite
//! file or one PostgreSQL database.
//!
//! [`DurableStore`] keeps the contracts of [`gemicro_core::store::Store`], [`gemicro_core::blob::Blobs`] and
//! [`gemicro_core::queue::StepQueue`].
//! It does not know who produced an event or what a flow means by it.
//!
//! Where things are: `home` (the folder and its modes), `open` (format and connections), `writer` (group
//! commit and fences), `read` and `subscribe` (the way out), `runs`, `conversations` and `dead_letters` (lists), `find` (ids),
//! `erase`, `prune`, `rebuild`, `check`, `verify` (upkeep), `seal`, `chain` and `written_counter` (noticing damage), `queue` (steps for workers). Statements are written once, for both
//! engines (`sql`). What is SQLite's own lies in `home`, `open` and `blob_files`, what is PostgreSQL's in `postgres`.

mod blob_files;
mod blob_store;
mod blobs;
mod boards;
mod chain;
mod check;
mod columns;
mod commands;
mod conversations;
mod cost_unknowns;
mod day_use;
mod dead_letters;
mod erase;
mod error;
mod find;
mod home;
mod leases;
mod open;
mod postgres;
mod prune;
mod queue;
mod read;
mod rebuild;
mod runs;
mod seal;
mod snapshots;
mod sql;
mod store;
mod store_options;
mod subscribe;
mod verify;
mod wake;
mod writer;
mod written_counter;

pub use boards::{BoardPage, BoardTally, StoredBoard};
pub use check::StoreCheck;
pub use conversations::StoredConversation;
pub use day_use::{DayLock, PeriodUse};
pub use dead_letters::{DeadLetterFilter, DeadLetterRow};
pub use erase::{ErasedCounts, SweptBlobs};
pub use find::FindStreamError;
pub use prune::{PruneReport, PruneRule};
pub use rebuild::RebuildReport;
pub use runs::RunFilter;
pub use store::DurableStore;
pub use store_options::StoreOptions;
pub use verify::ContentsCheck;

/// A store in a file: [`DurableStore::open`].
pub type SqliteStore = DurableStore;

/// A store on a server: [`DurableStore::connect`].
pub type PostgresStore = DurableStore;
