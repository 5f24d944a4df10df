//! Supervision with real processes in real sandboxes. A tier that this machine lacks is skipped with a loud line,
//! and fails in CI.

mod ends;
mod families;
mod floods;
mod gateway;
mod hostile;
mod killed;
mod outcomes;
mod processes;
mod real;
mod refusals;
mod tiers;
mod turns;
mod world;
