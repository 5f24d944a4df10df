//! Runs work to its end, even if the caller disconnects.

use std::future::Future;

use gemicro_event::{ErrorKind, Failure};

/// Runs work to its end: a closed connection does not interrupt it.
///
/// # Errors
/// The error of the work.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(_) => Err(panic_failure()),
    }
}

/// Runs blocking work without delaying other requests.
///
/// # Errors
/// The error of the work.
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
