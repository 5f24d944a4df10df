//! A workshop that can be reset.

use futures_util::future::BoxFuture;
use gemicro_event::Failure;

use super::workshop_folder::Workshop;

/// A workshop that can be reset to the state of its branch.
pub trait Renewable: Send + Sync {
    /// The workshop in its current state.
    fn workshop(&self) -> &Workshop;

    /// Recreates the project folder from the branch, and empty home and temporary folders.
    ///
    /// # Errors
    /// When the disk is full, or the branch is gone.
    fn renew(&self) -> BoxFuture<'_, Result<(), Failure>>;
}
