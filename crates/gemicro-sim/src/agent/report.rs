//! Reports what a fake agent knows about its own process.

use std::io;

use serde_json::{Value, json};

use super::script_stage::ScriptStage;

/// Writes the report to a file, as JSON.
pub(super) fn write(stage: &ScriptStage, file: &str) -> io::Result<()> {
    let [parent, group, session] = kin()?;
    let report = json!({
        "arguments": stage.arguments,
        "environment": stage.environment,
        "folder": std::env::current_dir()?,
        "descriptors": descriptors()?,
        "pid": std::process::id(),
        "parent": parent,
        "group": group,
        "session": session,
        "stdin": stage.heard,
    });
    std::fs::write(file, format!("{report:#}\n"))
}

/// Returns parent, process group and session. Each is 0 if it is outside of this process's namespace. They are read as
/// text, because a process id of `rustix` cannot be 0.
fn kin() -> io::Result<[u32; 3]> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name, in brackets, may contain anything; the state and these three follow it.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let mut numbers = after_name.split_whitespace().skip(1).map(str::parse);
    let mut next = || {
        numbers
            .next()
            .and_then(Result::ok)
            .ok_or_else(|| io::Error::other(format!("/proc/self/stat: {stat}")))
    };
    Ok([next()?, next()?, next()?])
}

/// Returns the open descriptors and their targets, except the one that lists them.
fn descriptors() -> io::Result<Value> {
    let mut found = serde_json::Map::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        // The folder itself is open while it is read; afterwards its link is broken.
        if let Ok(target) = std::fs::read_link(entry.path()) {
            let target = target.display().to_string();
            if !(target.starts_with("/proc/") && target.ends_with("/fd")) {
                found.insert(entry.file_name().to_string_lossy().into_owned(), json!(target));
            }
        }
    }
    Ok(Value::Object(found))
}
