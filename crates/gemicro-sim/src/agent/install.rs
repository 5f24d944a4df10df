//! Installs a program with the name of a real CLI that performs a script.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::identity::AgentIdentity;

/// Writes `folder/gemini` (or `claude`, `codex`): a shell script that starts `myself` as an agent with this script and
/// passes on its arguments. Returns its path.
///
/// # Errors
/// When the folder or the file cannot be created.
pub fn install(
    folder: &Path,
    identity: AgentIdentity,
    script: &Path,
    myself: &[OsString],
) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let mut text =
        b"#!/bin/sh\n# A fake agent for tests, written by `gemicro sim agent --install`.\nexec".to_vec();
    let script = std::path::absolute(script)?;
    let flags = ["--as", identity.program(), "--script"].map(OsString::from);
    for word in myself.iter().chain(&flags).chain([&script.into_os_string()]) {
        text.push(b' ');
        text.extend(quoted(word.as_bytes()));
    }
    text.extend_from_slice(b" -- \"$@\"\n");
    let program = folder.join(identity.program());
    std::fs::write(&program, text)?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    Ok(program)
}

/// Quotes a word for the shell.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for byte in word {
        match byte {
            b'\'' => quoted.extend_from_slice(b"'\\''"),
            other => quoted.push(*other),
        }
    }
    quoted.push(b'\'');
    quoted
}
