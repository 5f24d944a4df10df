//! Tests of batches: what goes in, what comes out, what is decided in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]
#![expect(
    clippy::print_stdout,
    reason = "rates are printed, and a skipped tier must not pass unnoticed"
)]

mod answer;
mod asking;
mod coverage;
mod decisions;
mod driven;
mod events;
mod failed_commands;
mod messages;
mod mutants;
mod ooda;
mod patches;
mod project;
mod properties;
mod proposals;
mod read;
mod references;
mod retries;
mod scale;
#[cfg(target_os = "linux")]
mod shell;
mod stops;
mod strategy;
mod support;
#[cfg(target_os = "linux")]
mod toolchains;
mod types;
#[cfg(target_os = "linux")]
mod workshop;
#[cfg(target_os = "linux")]
mod workshop_copy;
