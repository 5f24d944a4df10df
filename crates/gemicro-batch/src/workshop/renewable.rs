//! A workshop that can be made anew.

use futures_util::future::BoxFuture;
use gemicro_event::Failure;

use super::workshop_folder::Workshop;

/// A workshop, and how to get rid of whatever ran in it.
pub trait Renewable: Send + Sync {
    /// The workshop in its present state.
    fn workshop(&self) -> &Workshop;

    /// Makes folder, home and temporary files anew, as the branch has them: nothing that a command left is there then.
    ///
    /// # Errors
    /// When the disk is full, or the branch gone.
    fn renew(&self) -> BoxFuture<'_, Result<(), Failure>>;
}
