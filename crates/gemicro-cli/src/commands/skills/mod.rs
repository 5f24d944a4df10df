//! `gemicro skills`: the skills that agents propose and the owner approves.

mod change;
mod command;
mod uses;
mod view;

pub(crate) use command::{SkillsArgs, run};
pub(crate) use view::inbox_entries;
