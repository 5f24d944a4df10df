//! Tests of the crate from outside: the research corpus, hostile folders, and properties over any bytes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod corpus;
mod folders;
mod index;
mod properties;
mod support;
