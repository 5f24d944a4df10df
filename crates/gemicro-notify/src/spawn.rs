//! Starts the command that the user set for notifications.
//!
//! It gets the event as JSON on stdin and in a few variables; nothing of the event is part of the command line. Its
//! output is discarded, and its whole process group ends with the time limit.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::notice::RunNotice;

/// Time limit of the command.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Ends a process group when dropped.
struct ProcessGroup(Option<Pid>);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // An error means that no process of it is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Runs the command for a notice; an error says why it failed.
pub(crate) async fn run_command(
    command: &str,
    environment: &[(String, String)],
    notice: &RunNotice,
) -> Result<(), String> {
    // A variable cannot contain a NUL; titles and messages have no control characters.
    let about = [
        ("GEMICRO_EVENT", notice.kind.as_str()),
        ("GEMICRO_RUN", notice.run.as_str()),
        ("GEMICRO_TITLE", notice.title.as_str()),
        ("GEMICRO_MESSAGE", notice.message.as_str()),
    ];
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .envs(about)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| format!("/bin/sh cannot be started: {error}"))?;
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let _group = ProcessGroup(id.and_then(Pid::from_raw));
    let stdin = child.stdin.take();
    let finished = async {
        if let Some(mut stdin) = stdin {
            // The command need not read it.
            let _ = stdin.write_all(notice.cloud_event().to_string().as_bytes()).await;
        }
        child.wait().await
    };
    match tokio::time::timeout(TIMEOUT, finished).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("the command ended with {status}")),
        Ok(Err(error)) => Err(format!("the command was lost: {error}")),
        Err(_) => Err(format!("the command did not end within {} s", TIMEOUT.as_secs())),
    }
}
