//! Verifies an agent's work: checks, deliverables and honesty.
//!
//! # Theory of operation
//!
//! An agent's claim is only a vote; evidence decides. [`find_masked_exit`] examines a check's command before it is
//! trusted, [`count_tests`] and [`judge`] examine its result, [`read_plan`] reads the promises of a plan, and
//! [`faults`] compares the work with them. Everything here is pure: text and trees in, findings out. Other modules
//! run checks and read commits.

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
