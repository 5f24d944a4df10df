//! Debian packages that tests need, installed when we are root.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::installed_programs::InstalledPrograms;
use crate::process;

/// A package, and the program of it that is used.
pub(super) struct DebianPackage {
    /// Its name, also in the list of tools.
    pub(super) name: &'static str,
    program: &'static str,
    /// What `apt-get` is told beside its name.
    options: &'static [&'static str],
}

/// Only what a package needs, without what it recommends.
const LEAN: &[&str] = &["--no-install-recommends"];

/// For the tests of the sandbox, which starts it by this path alone.
pub(super) const BUBBLEWRAP: DebianPackage = DebianPackage {
    name: "bubblewrap",
    program: "/usr/bin/bwrap",
    options: &[],
};

/// For the tests that look at a terminal.
pub(super) const TMUX: DebianPackage = DebianPackage {
    name: "tmux",
    program: "/usr/bin/tmux",
    options: &[],
};

/// For the tests of coverage: the compiler and the tools that measure, and the reader of the data that we write. The solver
/// of MiniZinc is among what it needs.
pub(super) const COVERAGE: [DebianPackage; 4] = [
    DebianPackage {
        name: "minizinc",
        program: "/usr/bin/minizinc",
        options: LEAN,
    },
    DebianPackage {
        name: "g++",
        program: "/usr/bin/g++",
        options: LEAN,
    },
    DebianPackage {
        name: "lcov",
        program: "/usr/bin/lcov",
        options: LEAN,
    },
    DebianPackage {
        name: "llvm-19",
        program: "/usr/bin/llvm-cov-19",
        options: LEAN,
    },
];

impl DebianPackage {
    /// Installs it unless it is there.
    pub(super) fn install(&self) -> Result<InstalledPrograms> {
        if Path::new(self.program).exists() {
            return Ok(InstalledPrograms::Before);
        }
        if !cfg!(target_os = "linux") {
            bail!("only Linux has it");
        }
        if !is_root() {
            bail!("sudo apt-get install {}", self.name);
        }
        let mut apt = Command::new("apt-get");
        apt.args(["install", "-y", "-qq"])
            .args(self.options)
            .arg(self.name);
        process::run(&mut apt).context("apt-get failed")?;
        Ok(InstalledPrograms::Now)
    }
}

/// Whether packages can be installed.
pub(super) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}
