//! Debian packages for tests, installed if we are root.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::installed_programs::InstalledPrograms;
use crate::process;

/// A package, and its program that is used.
pub(super) struct DebianPackage {
    /// Its name, also in the list of tools.
    pub(super) name: &'static str,
    program: &'static str,
    /// Additional options for `apt-get`.
    options: &'static [&'static str],
}

/// Installs dependencies without recommended packages.
const LEAN: &[&str] = &["--no-install-recommends"];

/// For the tests of the sandbox, which only starts this path.
pub(super) const BUBBLEWRAP: DebianPackage = DebianPackage {
    name: "bubblewrap",
    program: "/usr/bin/bwrap",
    options: &[],
};

/// For the tests with a terminal.
pub(super) const TMUX: DebianPackage = DebianPackage {
    name: "tmux",
    program: "/usr/bin/tmux",
    options: &[],
};

/// For the tests of coverage: compilers, measuring tools, and a reader for our data files. MiniZinc's solver is one of
/// its dependencies.
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
    /// Installs it unless it is installed already.
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
