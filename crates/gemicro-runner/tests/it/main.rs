//! Tests of the adapters: recorded streams, made-up ones, and any bytes at all.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

mod acp;
mod captures;
mod claude;
mod golden;
mod invocations;
mod judging;
mod play;
mod properties;
mod requests;
#[cfg(target_os = "linux")]
mod supervise;
mod versions;
