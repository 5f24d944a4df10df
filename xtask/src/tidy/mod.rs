//! `cargo xtask tidy`: the house rules, each as a pure function over a file or over cargo's metadata.
//!
//! The main type is [`Offence`](offence::Offence). Tidy does not repeat checks of clippy or rustfmt.

mod architecture;
mod arrows;
mod calls;
mod circles;
mod command;
mod core_tree;
mod file_place;
mod layout;
mod links;
mod names;
mod offence;
mod participles;
mod rust_code;
mod text;
mod type_names;

#[cfg(test)]
mod tests;

pub(crate) use command::run;
