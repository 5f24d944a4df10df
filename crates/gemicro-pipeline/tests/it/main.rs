//! Tests of the pipeline against scripted outside parties.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

mod flow;
mod forge;
mod payload;
mod payload_honesty;
mod payload_shapes;
mod payload_submission;
mod payload_table;
