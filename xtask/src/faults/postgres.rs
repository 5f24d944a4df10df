//! A PostgreSQL server of our own in a temporary folder, reached over a Unix socket.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::temporary::TemporaryFolder;

/// A running server; ended on drop.
pub(crate) struct FaultServer {
    folder: TemporaryFolder,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    server: Child,
    n_databases: AtomicU64,
}

impl FaultServer {
    pub(crate) fn start() -> Result<Self> {
        let programs = programs().context("there is no PostgreSQL server: run `cargo xtask setup`")?;
        let folder = TemporaryFolder::new()?;
        let user = other_user()?;
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group))?;
        }
        let mut initdb = command(&programs.join("initdb"), user);
        initdb.arg("-D").arg(folder.path().join("data"));
        initdb.args([
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        succeed(&mut initdb)?;
        let server = launch(&programs, folder.path(), user)?;
        Ok(Self {
            folder,
            programs,
            user,
            server,
            n_databases: AtomicU64::new(0),
        })
    }

    /// Makes an empty database; returns its address and the folder of the socket.
    pub(crate) fn database(&self) -> Result<(String, PathBuf)> {
        let name = format!("faults{}", self.n_databases.fetch_add(1, Ordering::SeqCst));
        let mut create = command(&self.programs.join("createdb"), None);
        create.args(["-U", "postgres", "-h"]).arg(self.folder.path());
        succeed(create.arg(&name))?;
        let folder = self.folder.path().to_owned();
        let address = format!("postgres:///{name}?user=postgres&host={}", folder.display());
        Ok((address, folder))
    }

    /// Kills it as a crash would, and starts it again on the same files.
    pub(crate) fn restart(&mut self, absent: Duration) -> Result<()> {
        self.stop()?;
        std::thread::sleep(absent);
        self.server = launch(&self.programs, self.folder.path(), self.user)?;
        Ok(())
    }

    fn stop(&mut self) -> Result<()> {
        let pid = Pid::from_child(&self.server);
        kill_process(pid, Signal::QUIT)?;
        self.server.wait()?;
        Ok(())
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        // It may be gone already.
        drop(self.stop());
    }
}

fn launch(programs: &Path, folder: &Path, user: Option<(u32, u32)>) -> Result<Child> {
    let mut server = command(&programs.join("postgres"), user);
    server.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
    for setting in ["listen_addresses=", "shared_buffers=16MB", "max_connections=100"] {
        server.args(["-c", setting]);
    }
    let child = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let started_at = Instant::now();
    let status = folder.join("data/postmaster.pid");
    let own = child.id().to_string();
    let is_ready = || {
        std::fs::read_to_string(&status)
            .is_ok_and(|text| text.lines().next() == Some(own.as_str()) && text.contains("ready"))
    };
    while !is_ready() {
        if started_at.elapsed() > Duration::from_secs(30) {
            bail!("the PostgreSQL server in {} did not start", folder.display());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(child)
}

fn command(program: &Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command.env("LC_ALL", "C").current_dir("/").stdin(Stdio::null());
    command
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The folder of `initdb` and `postgres`: that of `pg_config`, or Debian's newest.
fn programs() -> Option<PathBuf> {
    let asked = Command::new("pg_config")
        .arg("--bindir")
        .stderr(Stdio::null())
        .output();
    let asked = asked.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    debian.sort();
    let mut folders = asked.into_iter().chain(debian.into_iter().rev());
    folders.find(|folder| {
        ["initdb", "postgres", "createdb"]
            .iter()
            .all(|name| folder.join(name).is_file())
    })
}

/// The user that the server runs as if we are root, which it refuses.
fn other_user() -> Result<Option<(u32, u32)>> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd")?;
    let find = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map_while(|number| number.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    let found = find("postgres").or_else(|| find("nobody"));
    Ok(Some(found.context("there is no user but root")?))
}
