//! Tests of no-model research: tables of cases per feature, and a property test. `cargo xtask bench research` scores the
//! fixture corpora.

mod answers;
mod domains;
mod injection;
mod memory;
mod ordinary;
mod parts;
mod property;
mod quoted;
mod reading;
mod splitting;
mod types;
