//! What a fake agent tells about its own process.

use std::io;

use serde_json::{Value, json};

use super::stage::Stage;

/// Writes it to a file, as JSON.
pub(super) fn write(stage: &Stage, file: &str) -> io::Result<()> {
    let report = json!({
        "arguments": stage.arguments,
        "environment": stage.environment,
        "folder": std::env::current_dir()?,
        "descriptors": descriptors()?,
        "pid": std::process::id(),
        "parent": rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get()),
        "group": rustix::process::getpgrp().as_raw_nonzero().get(),
        "session": rustix::process::getsid(None)?.as_raw_nonzero().get(),
        "stdin": stage.heard,
    });
    std::fs::write(file, format!("{report:#}\n"))
}

/// The open descriptors and what they lead to. The one that lists them is left out.
fn descriptors() -> io::Result<Value> {
    let mut found = serde_json::Map::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        // The folder itself is open while it is read; it leads nowhere once that is over.
        if let Ok(target) = std::fs::read_link(entry.path()) {
            let target = target.display().to_string();
            if !(target.starts_with("/proc/") && target.ends_with("/fd")) {
                found.insert(entry.file_name().to_string_lossy().into_owned(), json!(target));
            }
        }
    }
    Ok(Value::Object(found))
}
