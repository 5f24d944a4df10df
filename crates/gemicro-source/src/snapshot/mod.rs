//! Everything a run reads, frozen, and packed into one blob.

/// Where a stored text comes from.
mod ledger;
/// All documents as one blob.
mod pack;
/// Reading all sources.
mod take;

pub use ledger::LedgerEntry;
pub(crate) use ledger::sha256_hex;
pub use pack::{PackError, PackedSnapshot, pack, unpack};
pub use take::{Snapshot, take_snapshot};
