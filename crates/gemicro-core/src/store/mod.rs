//! The ports to durable storage, and their in-memory implementation.
//!
//! [`Store`] is what `drive` needs: a journal with fenced appends, run leases, commands and snapshots. The product's
//! store is `gemicro-store`; [`MemoryStore`] is for library users and tests and fulfils the same contract.
//! [`RedactingStore`] keeps secrets out of any of them.

mod error;
mod memory;
mod port;
mod redacting_store;
mod types;

pub use error::StoreError;
pub use memory::MemoryStore;
pub use port::Store;
pub use redacting_store::RedactingStore;
pub use types::{
    Append, AppendResult, BoardLine, Lease, NewEvent, NewStream, SavedFold, StepMark, StreamKind, StreamPage,
    Writer,
};
