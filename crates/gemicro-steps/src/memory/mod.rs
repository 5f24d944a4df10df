//! Searches what is remembered: steps of kind `memory_search`.
//!
//! Three places are searched: `AGENT_MEMORY.md` in the folder of the batch (`file`), the turns of conversations, and
//! the results of runs (`store_search`). They contain [`SearchedEntry`]s; `best` keeps those with the most [`Keywords`],
//! and `summary` formats them as text. Each place has limits, and the text says if one was reached.

mod best;
mod bounds;
mod entry;
mod excerpt;
mod executor;
mod file;
mod keywords;
mod store_search;
mod summary;

use best::{Best, RankedEntry};
use bounds::SearchBounds;
use entry::SearchedEntry;
pub(crate) use executor::MemorySearch;
use keywords::Keywords;
