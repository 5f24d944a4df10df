//! The HTTP side that all simulated APIs have in common: listening, routes, keys, rules, the log, control.

mod action;
mod control;
mod deliver;
mod dispatch;
mod incoming;
mod log;
mod names;
mod refusal;
mod respond;
mod rules;
mod simulator;
mod world;

pub(crate) use action::{Outcome, Speech, decide, plain_outcome};
pub(crate) use deliver::{Delivery, deliver};
pub(crate) use incoming::{Incoming, decoded};
pub use log::{LogEntry, RequestLog};
pub(crate) use refusal::Refusal;
pub(crate) use respond::{json_response, seconds_since_1970, spoilt_json, stream_response};
pub(crate) use simulator::{Listening, listen};
pub use simulator::{Running, Simulator, StartError};
pub(crate) use world::World;
