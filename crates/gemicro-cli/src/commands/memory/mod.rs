//! `gemicro memory`: the notes that agents are given.

mod change;
mod command;
mod open;
mod view;

pub(crate) use command::{MemoryArgs, run};
pub(crate) use open::{MemoryPlaceArgs, memory_error};
