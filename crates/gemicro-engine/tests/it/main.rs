//! The engine over a real store, real files and real processes.

mod cancel;
mod child;
mod kill;
mod runs;
mod support;
mod takeover;
