//! JSON without a tree: what passes through the gateway can be large and hostile, so nothing is built of it.
//!
//! [`walk`] shows every value of a request with its path; [`set`] changes one field and leaves the other bytes
//! alone; [`Picker`] takes a few small values out of an answer of any size.

mod edit;
mod pick;
mod walk;

pub(super) use edit::set;
pub(super) use pick::{Pick, Picker, WantedPaths};
pub(super) use walk::{Leaf, MalformedJson, walk};
