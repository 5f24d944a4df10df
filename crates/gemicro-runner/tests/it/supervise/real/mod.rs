//! The real CLIs in the real sandbox, against the simulator. Where they are not installed that is said loudly, and fails
//! in CI.

mod desk;
mod traps;
mod turns;
