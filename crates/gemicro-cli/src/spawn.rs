//! Starts the background worker.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

/// Maximum size of a log; a longer one is started anew.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Starts the worker for a folder and returns its first line.
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
        // It must not keep the current folder in use.
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
    // It runs independently; if it ends at once, it must not stay as a zombie.
    std::thread::spawn(move || child.wait());
    Ok(said)
}
