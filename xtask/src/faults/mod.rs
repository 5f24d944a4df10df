//! `cargo xtask faults`: disturbs runs of every kind, resumes them and compares the result with an undisturbed run.
//!
//! `RunKind` says what is run, `InjectedFault` what goes wrong, and a `FaultScenario` is one of each with a seed, which decides
//! where it goes wrong. `perform` carries out one scenario in a folder of its own; `audit` looks at what it left.
//! Only the `gemicro` program is used, and no crate of it. Writes and the clock are disturbed by a small library that
//! is loaded into the program (`interpose.c`), so that the program itself needs no code for this.

mod agent_scripts;
mod arguments;
mod audit;
mod command;
mod fault;
mod finish;
mod fold;
mod interpose;
mod kind;
mod matrix;
mod normalise;
mod perform;
mod postgres;
mod proxy;
mod random;
mod scenario;
mod store_damage;
mod summary;
mod world;

pub(crate) use command::run;
