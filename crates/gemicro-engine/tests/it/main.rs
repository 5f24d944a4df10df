//! The engine over a real store, real files and real processes.

mod agent;
mod cancel;
mod chat;
mod child;
mod conversations;
mod cut_streams;
mod kill;
mod kill_streams;
mod parked;
mod runs;
mod simulated;
mod support;
mod takeover;
