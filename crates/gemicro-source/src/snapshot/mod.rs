//! Everything that a run reads, frozen and packed into one blob.

/// The origin of a stored text.
mod ledger;
/// All documents as one blob.
mod pack;
mod take;

pub use ledger::LedgerEntry;
pub(crate) use ledger::sha256_hex;
pub use pack::{PackError, PackedSnapshot, pack, unpack};
pub use take::{Snapshot, take_snapshot};
