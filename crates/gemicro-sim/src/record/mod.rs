//! Records traffic: a proxy between a client and a real API that writes a scenario.
//!
//! The caller provides the connection to the real API as a [`RecordedUpstream`], because this crate has no TLS. Keys
//! are passed on but never recorded.

mod recorder;
mod rules;
mod tape;
mod upstream;

pub use recorder::{RecordError, Recorder, RunningRecorder};
pub use tape::Exchange;
pub use upstream::{RecordedUpstream, UpstreamError, UpstreamRequest, UpstreamResponse};
