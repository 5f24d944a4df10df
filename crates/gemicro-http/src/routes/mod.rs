//! The routes, one file each.

mod all_routes;
mod batch;
mod batch_changes;
mod batch_types;
mod batches;
mod conversations;
mod event_stream;
mod health;
mod inbox;
mod metrics;
mod openapi;
mod run;
mod run_changes;
mod run_events;
mod run_pause;
mod run_result;
mod runs;
mod schemas;

pub(crate) use all_routes::all;
pub(crate) use batch::MAX_WAIT;
pub(crate) use batch_changes::{CancelBody, RetryBody};
pub(crate) use batches::BatchList;
pub(crate) use schemas::schemas;
