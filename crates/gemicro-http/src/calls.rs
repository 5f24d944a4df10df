//! Work that goes on to its end, whether or not the caller waits for it.

use std::future::Future;

use gemicro_event::{ErrorKind, Failure};

/// Does something to its end: a connection that closes stops nothing half-way.
///
/// # Errors
/// What the work says.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(_) => Err(panic_failure()),
    }
}

/// Computes something without keeping other requests waiting.
///
/// # Errors
/// What the work says.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(panic_failure()),
    }
}

fn panic_failure() -> Failure {
    Failure::new(ErrorKind::Internal, "a task of the server panicked")
}
