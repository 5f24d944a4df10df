//! Coding pipelines: from a task description to a reviewed, tested branch and a request to merge it.
//!
//! [`workflow`] says which phases there are and who works in them; [`flow`] decides, as every flow does, from the journal
//! alone; [`steps`] are what it lets others do. [`payload`] takes the result out of an agent's answer, [`evidence`] holds
//! claims against what is there, [`documents`] names and keeps what is written, [`forge`] offers a branch for merging.
//! [`plan`] is what a run freezes, [`phase_decided`] what a task reports about all of its runs.
//! This crate knows no storage and no terminal, and starts no process.

pub mod documents;
pub mod evidence;
pub mod flow;
pub mod forge;
pub mod payload;
pub mod phase_decided;
pub mod plan;
pub mod steps;
pub mod workflow;
