//! Debian packages that tests need, installed when we are root.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::installed::Installed;
use crate::process;

/// A package, and the program of it that is used.
pub(super) struct Package {
    /// Its name, also in the list of tools.
    pub(super) name: &'static str,
    program: &'static str,
}

/// For the tests of the sandbox, which starts it by this path alone.
pub(super) const BUBBLEWRAP: Package = Package {
    name: "bubblewrap",
    program: "/usr/bin/bwrap",
};

/// For the tests that look at a terminal.
pub(super) const TMUX: Package = Package {
    name: "tmux",
    program: "/usr/bin/tmux",
};

impl Package {
    /// Installs it unless it is there.
    pub(super) fn install(&self) -> Result<Installed> {
        if Path::new(self.program).exists() {
            return Ok(Installed::Before);
        }
        if !cfg!(target_os = "linux") {
            bail!("only Linux has it");
        }
        if !is_root() {
            bail!("sudo apt-get install {}", self.name);
        }
        process::run(Command::new("apt-get").args(["install", "-y", "-qq", self.name]))
            .context("apt-get failed")?;
        Ok(Installed::Now)
    }
}

/// Whether packages can be installed.
pub(super) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}
