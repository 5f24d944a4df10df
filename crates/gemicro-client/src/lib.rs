//! The HTTP client builder that every outgoing connection of gemicro starts from, and the addresses that URLs of others
//! must not lead to.

mod address;
mod builder;

pub use address::address_refusal;
pub use builder::{builder, builder_for};
