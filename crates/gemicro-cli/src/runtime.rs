//! The async runtime, started only by commands that wait for something.

use std::future::Future;

use gemicro_event::ErrorKind;

use crate::command_error::CommandError;

/// Runs a future to its end. Threads that are still reading a disk or the keyboard are left behind.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| {
        let message = format!("no threads could be started: {error}");
        CommandError::new_failure(
            ErrorKind::Internal,
            message,
            "check the limits of this system (`ulimit -u`)",
        )
    })?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}
