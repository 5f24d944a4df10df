//! What a fake agent tells about its own process.

use std::io;

use serde_json::{Value, json};

use super::script_stage::ScriptStage;

/// Writes it to a file, as JSON.
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

/// Parent, process group and session. Each is 0 when it lies outside this process's namespace, which is why
/// they are read as text: a process number of `rustix` cannot be 0.
fn kin() -> io::Result<[u32; 3]> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name, in brackets, may hold anything; after it come the state and these three.
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
