//! Ranks the gaps in the tests, with reasons.
//!
//! [`gaps_of`] splits the uncovered lines of a file into [`CoverageGap`]s, one per function or neighbourhood;
//! [`rank`] weighs them by size, by how often the file changed and by what the lines do ([`risk`]), with a reason for
//! every point. Ranking is deterministic: the same project gives the same list. [`StrategyFlow`] reads a project's
//! reports, ranks, and lets a model write advice if requested.

mod definition;
mod events;
mod executor;
mod flow;
mod function_name;
mod gap;
mod plan;
mod product;
mod prose;
mod rank;
pub mod risk;

pub use events::{GapsRanked, StrategyWritten, register};
pub(crate) use executor::ranked_gaps;
pub use executor::{GAPS_STEP, GapsExecutor, GapsInput, GapsOutput};
pub use flow::{StrategyFlow, StrategyState};
pub use gap::{CoverageGap, gaps_of};
pub use plan::{Prose, StrategyPlan};
pub(crate) use product::product_only;
pub use rank::{FileChangeCounts, RankedGap, rank};
