//! What is remembered about some words: steps of kind `memory_search`.
//!
//! Three places are searched: `AGENT_MEMORY.md` in the folder of the batch (`file`), the turns of conversations and the
//! results of runs (`store_search`). What they hold are [`MemoryEntry`]s; `best` keeps those with the most of the
//! [`Keywords`], and `summary` tells them as text. Each place has its bounds, and the text says where one was reached.

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
use entry::MemoryEntry;
pub(crate) use executor::MemorySearch;
use keywords::Keywords;
