//! The wire of gemicro-event: what is written, what is read, and what survives in between.

mod error_kinds;
mod ids;
mod lines;
mod payloads;
mod times;
