//! The HTTP client builder that every outgoing connection of gemicro starts from.

mod builder;

pub use builder::{builder, builder_for};
