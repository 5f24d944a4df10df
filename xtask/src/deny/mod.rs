//! `cargo xtask deny`: licences, banned crates and crate sources, from `cargo metadata`.
//!
//! The same checks as cargo-deny, without a tool that takes minutes to build. Known vulnerabilities are not checked:
//! that needs a database from the network.

mod check;
mod policy;
mod spdx;

#[cfg(test)]
mod tests;

pub(crate) use check::run;
