//! The durable store of gemicro: journal, blobs, leases, commands, lists and the step queue, in one SQLite file or
//! one PostgreSQL database.
//!
//! [`DurableStore`] implements [`gemicro_core::store::Store`], [`gemicro_core::blob::Blobs`] and
//! [`gemicro_core::queue::StepQueue`]. It does not know what produced an event or what it means to a flow.
//!
//! Modules: `home` (the folder and its modes), `open` (format and connections), `writer` (group commit and fencing),
//! `read` and `subscribe` (reading), `runs`, `conversations` and `dead_letters` (lists), `find` (ids), `erase`,
//! `prune`, `rebuild`, `check`, `verify` (maintenance), `seal`, `chain` and `written_counter` (damage detection),
//! `queue` (steps for workers). Statements are written once, for both engines (`sql`). SQLite-specific code is in
//! `home`, `open` and `blob_files`, PostgreSQL-specific code in `postgres`.

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
mod run_progress;
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
pub use leases::RunHolder;
pub use prune::{PruneReport, PruneRule};
pub use rebuild::RebuildReport;
pub use run_progress::RunProgress;
pub use runs::RunFilter;
pub use store::DurableStore;
pub use store_options::StoreOptions;
pub use verify::ContentsCheck;

/// A store in a SQLite file: [`DurableStore::open`].
pub type SqliteStore = DurableStore;

/// A store on a PostgreSQL server: [`DurableStore::connect`].
pub type PostgresStore = DurableStore;
