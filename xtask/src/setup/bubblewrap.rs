//! bubblewrap, for the tests of the sandbox: a Debian package, installed when we are root.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::installed::Installed;
use crate::process;

/// The name in the list of tools.
pub(super) const NAME: &str = "bubblewrap";

/// The only path that the sandbox starts.
const PROGRAM: &str = "/usr/bin/bwrap";

/// Installs the package unless it is there.
pub(super) fn install() -> Result<Installed> {
    if Path::new(PROGRAM).exists() {
        return Ok(Installed::Before);
    }
    if !cfg!(target_os = "linux") {
        bail!("only Linux has it");
    }
    if !is_root() {
        bail!("sudo apt-get install bubblewrap");
    }
    process::run(Command::new("apt-get").args(["install", "-y", "-qq", "bubblewrap"]))
        .context("apt-get failed")?;
    Ok(Installed::Now)
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}
