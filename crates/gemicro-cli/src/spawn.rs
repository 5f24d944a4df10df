//! The only place of this crate that starts a process: the resident worker.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

/// A log that is longer than this starts anew.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Starts the worker of a place and returns its first word.
pub(crate) fn worker(
    program: &Path,
    place: &Path,
    variables: &BTreeMap<String, String>,
) -> io::Result<String> {
    let about = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| io::Error::new(error.kind(), format!("{path}: {error}"))
    };
    let folder = place.join("worker");
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(about(&folder))?;
    let path = folder.join("log");
    let is_long = path.metadata().is_ok_and(|about| about.len() > MAX_LOG_BYTES);
    let log = fs::OpenOptions::new()
        .create(true)
        .append(!is_long)
        .write(true)
        .truncate(is_long)
        .mode(0o600)
        .open(&path)
        .map_err(about(&path))?;
    let mut child = Command::new(program)
        .args(["worker", "--on-demand"])
        .env_clear()
        .envs(variables)
        // It must not hold on to the folder that somebody wants to delete.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(about(program))?;
    let mut said = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut said)?;
    }
    // It lives on its own; one that ended at once must not stay as a zombie.
    std::thread::spawn(move || child.wait());
    Ok(said)
}
