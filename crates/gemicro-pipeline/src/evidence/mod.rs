//! What gemicro itself sees of an agent's work: checks, deliverables, honesty.
//!
//! # Theory of operation
//!
//! A claim of an agent is a vote; evidence decides. [`find_masked_exit`] reads a check's command before it is trusted, [`count_tests`] and
//! [`judge`] read what came of it, [`read_plan`] takes the promises out of a plan, and [`faults`] holds the work against
//! them. All of it is pure: texts and trees in, words out. Who runs checks and opens commits is elsewhere.

mod count;
mod markdown;
mod masked;
mod names;
mod plan_block;
mod planned_path;
mod suite;
mod work;

pub use count::{TestCount, by_family, count_tests};
pub use masked::{MaskedFailure, find_masked_exit};
pub use names::{missing_tests, names_lost, test_names};
pub use plan_block::{PLAN_INFO, PlanBlock, PlanSection, SECTIONS, read_plan};
pub use suite::{CheckExit, CheckRun, CheckVerdict, judge, other_family, shrunk};
pub use work::{TreeFiles, faults};
