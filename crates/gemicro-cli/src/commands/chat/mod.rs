//! `gemicro chat`: a conversation with an agent or a model, on a full screen or in lines.

mod args;
mod command;
mod speaker;

pub(crate) use args::ChatArgs;
pub(crate) use command::{run, summariser};
