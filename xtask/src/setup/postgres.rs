//! PostgreSQL for the tests of the shared store: found, or installed as a Debian package if we are root. No server is
//! started: each test starts its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::debian::is_root;
use super::installed_programs::InstalledPrograms;
use crate::process;

/// The name in the list of tools.
pub(super) const NAME: &str = "PostgreSQL";

/// Debian's folder of servers, with one folder per version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The package creates and starts a cluster unless this file forbids it.
const CLUSTERS: &str = "/etc/postgresql-common/createcluster.conf";

/// Installs the package unless there is a server.
pub(super) fn install() -> Result<InstalledPrograms> {
    if is_there() {
        return Ok(InstalledPrograms::Before);
    }
    if !cfg!(target_os = "linux") {
        bail!("install a PostgreSQL server (15 or newer) and put its `pg_config` on the PATH");
    }
    if !is_root() {
        bail!("sudo apt-get install postgresql");
    }
    forbid_clusters().with_context(|| format!("cannot write {CLUSTERS}"))?;
    let mut apt = Command::new("apt-get");
    apt.args(["install", "-y", "-qq", "--no-install-recommends"])
        // Keeps our configuration file, because no one can answer a prompt.
        .args(["-o", "Dpkg::Options::=--force-confold", "postgresql"])
        .env("DEBIAN_FRONTEND", "noninteractive");
    process::run(&mut apt).context("apt-get failed")?;
    if !is_there() {
        bail!("the package `postgresql` is installed, but {DEBIAN} has no server");
    }
    Ok(InstalledPrograms::Now)
}

/// Looks for it as the tests do: the server of `pg_config`, or Debian's.
fn is_there() -> bool {
    let asked = Command::new("pg_config")
        .arg("--bindir")
        .stderr(Stdio::null())
        .output();
    let asked = asked.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let debian = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let debian = debian.map(|version| version.path().join("bin"));
    let mut folders = asked.into_iter().chain(debian);
    folders.any(|folder| {
        ["initdb", "postgres"]
            .iter()
            .all(|name| folder.join(name).is_file())
    })
}

fn forbid_clusters() -> Result<()> {
    let file = Path::new(CLUSTERS);
    if !file.exists() {
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))?;
        std::fs::write(file, "create_main_cluster = false\n")?;
    }
    Ok(())
}
