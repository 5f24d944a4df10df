//! Scripted stand-ins for model APIs, from scenario files: what makes gemicro's tests honest.
//!
//! [`Simulator::start`] serves a [`scenario::Scenario`] on a loopback address and gives a [`RunningSimulator`] handle:
//! its address, the [`RequestLog`] of everything it saw, its [`ReplyGates`]. [`Recorder`] is the other direction: it
//! stands between a client and a real API and writes a scenario from what passes. [`agent`] is a stand-in of
//! another kind: a process that plays an agent CLI. [`mod@forge`] plays GitHub and GitLab.
//!
//! # Theory of operation
//!
//! A request goes one way: `server` reads it and logs it; `api` finds whose it is; `gemini`, `openai` or
//! `anthropic` checks it as the service would and turns it into a neutral `call`; the first rule of the scenario that
//! takes it makes an `answer`; the same API writes that as frames of its wire format; `play` lets the frames out in
//! time. A rule's fault can step in at each of these places. Another API is a sibling of these three.
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
