//! `cargo xtask live`: runs gemicro with real models. Never part of `xtask ci`.
//!
//! `shapes` compares a few calls of real providers with the simulator's; `local` measures research with a small model
//! on this machine, which `local_model` fetches and serves.

mod command;
mod local;
mod local_model;
mod question_set;
mod shapes;

pub(crate) use command::run;
