//! The HTTP server common to all simulated APIs: listening, routing, keys, rules, log, control.

mod action;
mod control;
mod deliver;
mod dispatch;
mod incoming_request;
mod log;
mod names;
mod refusal;
mod respond;
mod rules;
mod simulator;
mod world;

pub(crate) use action::{ActionOutcome, Speech, decide, plain_outcome};
pub(crate) use deliver::{WireDelivery, deliver};
pub(crate) use incoming_request::{IncomingRequest, percent_decode};
pub use log::{LogEntry, RequestLog};
pub(crate) use refusal::SimulatedRefusal;
pub(crate) use respond::{json_response, seconds_since_1970, spoilt_json, stream_response};
pub(crate) use simulator::{LoopbackServer, listen};
pub use simulator::{RunningSimulator, Simulator, StartError};
pub(crate) use world::ServerWorld;
