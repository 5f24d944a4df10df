//! Runs the scripts that create the demo's repository.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a shell script; its first argument is a folder.
pub(super) fn script(text: &str, folder: &Path) -> io::Result<()> {
    let output = Command::new("sh")
        .args(["-c", text, "demo"])
        .arg(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(words.trim().to_owned()))
}
