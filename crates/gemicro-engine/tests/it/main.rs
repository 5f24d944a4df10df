//! The engine over a real store, real files and real processes.

mod agent;
mod batches;
mod cancel;
mod child;
mod cut_streams;
mod kill;
mod kill_streams;
mod ninth_flow;
mod parked;
mod runs;
mod simulated;
mod support;
mod takeover;
