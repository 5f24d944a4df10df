//! Tests of no-model research: tables of cases per feature, a property test, and the scored fixtures.

mod memory;
mod score;
