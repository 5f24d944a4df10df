//! Simulates model APIs from scenario files, for gemicro's tests.
//!
//! [`Simulator::start`] serves a [`scenario::Scenario`] on a loopback address and returns a [`RunningSimulator`]: its
//! address, the [`RequestLog`] of all requests, and its [`ReplyGates`]. [`Recorder`] works in the other direction: it
//! is a proxy between a client and a real API that writes a scenario from the traffic. [`agent`] simulates an agent CLI
//! as a process, and [`mod@forge`] simulates GitHub and GitLab.
//!
//! # Theory of operation
//!
//! `server` reads and logs a request, and `api` determines its API. `gemini`, `openai` or `anthropic` checks it like
//! the service and converts it into a neutral `call`. The first matching rule of the scenario produces an `answer`,
//! which the same API formats as frames of its wire format, and `play` sends the frames in time. A rule's fault can
//! apply at each of these stages. A new API is a module next to these three.
//!
//! This crate has no TLS and listens on loopback only.

pub mod agent;
mod answer;
mod anthropic;
mod api;
mod call;
pub mod forge;
mod gemini;
mod openai;
mod play;
mod record;
pub mod scenario;
mod server;

pub use play::ReplyGates;
pub use record::{
    Exchange, RecordError, RecordedUpstream, Recorder, RunningRecorder, UpstreamError, UpstreamRequest,
    UpstreamResponse,
};
pub use server::{LogEntry, RequestLog, RunningSimulator, Simulator, StartError};
