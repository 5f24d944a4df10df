//! git: which subcommands an agent may use, with which options, and where.
//!
//! `global` reads what comes before the subcommand; `subcommand` is the list; `denied_options` are options that run
//! programs, write elsewhere or rewrite; `forms` are the reading forms of subcommands that can also write.

mod denied_options;
mod forms;
mod global;
mod hint;
mod subcommand;

pub(super) use global::judge;
