//! The shared vocabulary of gemicro: events, ids, errors and costs, as every crate and file uses them.
//!
//! The main types are [`AgentUpdate`] (one fact, loosely typed), [`Event`] (that fact in its envelope, with its
//! position in a stream) and [`ErrorKind`] (the closed list of error kinds). This crate has no async code, file
//! access or network, and knows no agent by name; payload types are in the crates that emit them.

mod cost;
mod error_kind;
mod escaped_json;
mod event;
mod id;
mod json;
mod line;
mod outcome;
mod payload;
mod readers;
pub mod redact;
mod registry;
pub mod text;
mod time;
mod update;
mod usage;

pub use cost::{ModelName, Uncertain, UnpricedModel, UnpricedTokens, money, tokens};
pub use error_kind::{ErrorKind, Failure, FailureClass, ParseErrorKindError};
pub use escaped_json::{escape_json, escape_text};
pub use event::{Event, SCHEMA_VERSION};
pub use id::{CommandId, IdError, StepKey, StreamId};
pub use json::Json;
pub use line::{LineError, read_line, read_lines, write_line};
pub use outcome::{RunStatus, TERMINAL_EVENT_TYPES, is_terminal};
pub use payload::{Payload, PayloadReadError};
pub use registry::{EventKind, Registry, RegistryError};
pub use time::{Timestamp, TimestampError};
pub use update::AgentUpdate;
pub use usage::{Charge, Usage};
