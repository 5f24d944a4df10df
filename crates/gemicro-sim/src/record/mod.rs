//! Recording: stands between a client and a real API and writes a scenario from what passes.
//!
//! The way to the real API is an [`RecordedUpstream`] that the caller brings: this crate has no TLS. Keys pass through
//! and are never written down.

mod recorder;
mod rules;
mod tape;
mod upstream;

pub use recorder::{RecordError, Recorder, RunningRecorder};
pub use tape::Exchange;
pub use upstream::{RecordedUpstream, UpstreamError, UpstreamRequest, UpstreamResponse};
