//! The async runtime, started only by commands that wait for something.

use std::future::Future;
use std::time::Duration;

use gemicro_event::ErrorKind;

use crate::command_error::CommandError;

/// Time for the runtime's threads to end. Detaching a thread at the moment it ends can crash inside glibc (bug 19951),
/// so only threads that are stuck are detached.
const TO_END: Duration = Duration::from_millis(100);

/// Runs a future to completion. Threads that still read a disk or the keyboard are left behind.
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
    runtime.shutdown_timeout(TO_END);
    result
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn tasks_and_threads_have_ended_when_a_command_ends() {
        let held = Arc::new(());
        let in_task = held.clone();
        let ended = block_on(async move {
            tokio::spawn(async move {
                std::future::pending::<()>().await;
                drop(in_task);
            });
            Ok(())
        });
        assert!(ended.is_ok());
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
