//! Gaps, their order, what is risky about them, and the run that tells of them.

mod gaps;
mod order;
mod risk;
mod run;
