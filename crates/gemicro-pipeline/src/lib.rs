//! Coding pipelines: from a task description to a reviewed, tested branch and a request to merge it.
//!
//! [`workflow`] defines the phases and roles, [`flow`] decides the next step from the journal, and [`steps`]
//! describes the steps that others carry out. [`payload`] reads the result in an agent's answer, [`evidence`]
//! verifies claims, [`documents`] names and archives documents, and [`forge`] submits a branch for merging. [`plan`]
//! is the frozen input of a run, [`phase_decided`] the decisions of all runs of a task. This crate has no storage and
//! no terminal, and starts no process.

pub mod documents;
pub mod evidence;
pub mod flow;
pub mod forge;
pub mod payload;
pub mod phase_decided;
pub mod plan;
pub mod steps;
pub mod workflow;
