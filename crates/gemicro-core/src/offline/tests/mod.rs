//! Tests of no-model research: tables of cases per feature, a property test, and the scored fixtures.

mod answers;
mod domains;
mod injection;
mod memory;
mod parts;
mod property;
mod reading;
mod score;
mod splitting;
mod types;
