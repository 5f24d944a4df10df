//! What a pipeline asks of a forge.
//!
//! The main type is [`Forge`]. It never pushes, merges or closes anything.

use std::fmt::Debug;

use futures_util::future::BoxFuture;

use super::error::ForgeError;
use super::offer::{Offer, OfferResult};
use super::protection::Protection;

/// One repository at a forge. Its questions have time limits of their own.
pub trait Forge: Send + Sync + Debug {
    /// What people call it, such as `GitHub octo/hello`.
    fn name(&self) -> String;

    /// Asks for the branch that requests are merged into.
    fn default_branch(&self) -> BoxFuture<'_, Result<String, ForgeError>>;

    /// Asks how a branch is protected. A rule that the token may not see is no error; see [`Protection::unknown`].
    fn protection<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, Result<Protection, ForgeError>>;

    /// Makes a request to merge a branch that was pushed already, or finds the one that is there. Safe to repeat: a run
    /// never has two.
    fn offer<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<OfferResult, ForgeError>>;
}
