//! What carries calls to a forge.

use futures_util::future::BoxFuture;

use super::call::{Answer, Call, Unheard};

/// Sends one call once, within the limits of time and size, and follows no redirect.
pub(crate) trait Transport: Send + Sync {
    /// Sends it and reads the whole answer, whatever its status.
    fn send<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Answer, Unheard>>;
}
