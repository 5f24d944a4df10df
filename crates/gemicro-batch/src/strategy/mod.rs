//! Which gaps in the tests are worth closing first, and why.
//!
//! [`gaps_of`] cuts the uncovered lines of a file into [`CoverageGap`]s, one per function or neighbourhood; [`rank`] weighs them
//! by size, by how often the file changed and by what the lines do ([`risk`]), with a reason for every point. All of
//! it is a function of its input: the same project gives the same list. [`StrategyFlow`] is a run that reads a
//! project's reports, ranks, and lets a model write the advice where that is wanted.

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
