//! The operations that a pipeline needs from a forge.
//!
//! The main type is [`Forge`]. It never pushes, merges or closes anything.

use std::fmt::Debug;

use futures_util::future::BoxFuture;

use super::error::ForgeError;
use super::offer::{Offer, OfferResult};
use super::protection::Protection;

/// One repository at a forge. Calls have their own time limits.
pub trait Forge: Send + Sync + Debug {
    /// Display name, such as `GitHub octo/hello`.
    fn name(&self) -> String;

    /// Returns the branch that requests are merged into.
    fn default_branch(&self) -> BoxFuture<'_, Result<String, ForgeError>>;

    /// Returns how a branch is protected. A rule that the token may not see is not an error; see
    /// [`Protection::unknown`].
    fn protection<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, Result<Protection, ForgeError>>;

    /// Creates a request to merge a branch that was already pushed, or finds the existing one. Safe to repeat: a run
    /// never has two requests.
    fn offer<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<OfferResult, ForgeError>>;
}
