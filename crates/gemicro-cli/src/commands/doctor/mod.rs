//! `gemicro doctor`: is everything in place, and what to do about what is not.

mod command;
mod finding;
mod models;

pub(crate) use command::{DoctorArgs, run};
