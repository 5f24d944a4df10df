//! A PostgreSQL server of a test's own: in a temporary folder, reached over a Unix socket, gone with the test.
//!
//! The files of an empty cluster are made once and kept under `target/tmp`; a test copies them, which takes a
//! twentieth of the time. A shell holds the server and ends it when the test's end of its pipe closes, so nothing
//! stays when a test is killed.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gemicro_store::PostgresStore;

pub(crate) struct Server {
    folder: tempfile::TempDir,
    shell: Child,
}

/// Who the server runs as: it refuses root.
#[derive(Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

const HINT: &str = "there is no PostgreSQL server: run `cargo xtask setup`";

/// Ends the server with its last breath; `$0` is the folder.
const SHELL: &str =
    r#""$@" >"$0/log" 2>&1 & server=$!; cat >/dev/null; kill -QUIT $server; wait $server; rm -rf "$0""#;

impl Server {
    pub(crate) fn start() -> Self {
        let programs = programs().expect(HINT);
        let user = user();
        let template = template(&programs, user);
        let folder = tempfile::tempdir().unwrap();
        give(folder.path(), user);
        copy(&template, &folder.path().join("data"), user);
        let mut server = Self {
            shell: Self::launch(&programs, folder.path(), user),
            folder,
        };
        server.wait();
        server
    }

    /// Where its socket is; what other processes need to find it.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The address of its only database.
    pub(crate) fn address(&self) -> String {
        address(self.folder.path())
    }

    pub(crate) async fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.address()).await.unwrap()
    }

    /// Kills it and starts it again on the same files.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.go_on();
    }

    /// Kills it; its files stay.
    pub(crate) fn stop(&mut self) {
        let pid = fs::read_to_string(self.folder.path().join("data/postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap().to_owned();
        let killed = Command::new("kill").args(["-QUIT", &pid]).status().unwrap();
        assert!(killed.success());
        let is_gone = || !self.folder.path().join("data/postmaster.pid").exists();
        until("the server has stopped", is_gone);
    }

    /// Starts it again on the same files.
    pub(crate) fn go_on(&mut self) {
        let programs = programs().unwrap();
        let fresh = Self::launch(&programs, self.folder.path(), user());
        // The first shell would remove the folder at its end.
        let mut before = std::mem::replace(&mut self.shell, fresh);
        before.kill().unwrap();
        before.wait().unwrap();
        self.wait();
    }

    fn launch(programs: &Path, folder: &Path, user: Option<User>) -> Child {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", SHELL])
            .arg(folder)
            .arg(programs.join("postgres"));
        shell.arg("-D").arg(folder.join("data"));
        for setting in [
            "listen_addresses=",
            "shared_buffers=16MB",
            "max_connections=60",
            "fsync=on",
        ] {
            shell.args(["-c", setting]);
        }
        shell.arg("-k").arg(folder).stdin(Stdio::piped());
        run_as(&mut shell, user).spawn().unwrap()
    }

    fn wait(&mut self) {
        let status = self.folder.path().join("data/postmaster.pid");
        let is_ready = || fs::read_to_string(&status).is_ok_and(|text| text.contains("ready"));
        until("the server is ready", is_ready);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        self.shell.wait().ok();
    }
}

pub(crate) fn address(folder: &Path) -> String {
    format!("postgres:///postgres?user=postgres&host={}", folder.display())
}

/// Looks until it is so, for half a minute at most.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(30), "waited for: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The folder with `initdb` and `postgres`: that of the `PATH`, else Debian's newest.
fn programs() -> Option<PathBuf> {
    let asked = Command::new("pg_config").arg("--bindir").output().ok();
    let asked = asked.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let mut debian: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|version| {
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .collect();
    debian.sort();
    let debian = debian.into_iter().rev().map(|(_, folder)| folder);
    let is_whole = |folder: &PathBuf| {
        ["initdb", "postgres"]
            .iter()
            .all(|name| folder.join(name).is_file())
    };
    asked.into_iter().chain(debian).find(is_whole)
}

/// `None` when we are an ordinary user ourselves.
fn user() -> Option<User> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let find = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map(|number| number.parse().unwrap());
        Some(User {
            uid: numbers.next()?,
            gid: numbers.next()?,
        })
    };
    Some(
        find("postgres")
            .or_else(|| find("nobody"))
            .expect("a user beside root"),
    )
}

fn run_as(command: &mut Command, user: Option<User>) -> &mut Command {
    if let Some(user) = user {
        command.uid(user.uid).gid(user.gid);
    }
    command.env("LC_ALL", "C").current_dir("/")
}

fn give(path: &Path, user: Option<User>) {
    if let Some(user) = user {
        std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid)).unwrap();
    }
}

/// The files of an empty cluster, made by the first who needs them.
fn template(programs: &Path, user: Option<User>) -> PathBuf {
    // Tests inside a crate have no folder of their own.
    let kept = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let version = programs.to_string_lossy().replace('/', "-");
    let template = kept.join(format!("postgres{version}"));
    let lock = File::create(kept.join("postgres.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    if template.exists() {
        return template;
    }
    let folder = tempfile::tempdir().unwrap();
    give(folder.path(), user);
    let data = folder.path().join("data");
    let mut initdb = Command::new(programs.join("initdb"));
    initdb.arg("-D").arg(&data);
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
    let output = run_as(&mut initdb, user).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let unfinished = template.with_extension("new");
    fs::remove_dir_all(&unfinished).ok();
    copy(&data, &unfinished, None);
    fs::rename(&unfinished, &template).unwrap();
    template
}

fn copy(from: &Path, to: &Path, user: Option<User>) {
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, Permissions::from_mode(0o700)).unwrap();
    give(to, user);
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, user);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            give(&target, user);
        }
    }
}
