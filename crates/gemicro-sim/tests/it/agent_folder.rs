//! A folder with scripts for the fake agent, and its processes.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_sim-agent");
/// Longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is gone when the test is over.
pub(crate) struct Folder(pub(crate) PathBuf);

/// Makes the names of scripts unique: a process may read its own when the next is written already.
static N_SCRIPTS: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gemicro-sim-agent-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the test is well-formed");
        Self(path)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(file);
        std::fs::write(&path, text).expect("the test is well-formed");
        path
    }

    /// A process that performs a script in this folder.
    pub(crate) fn command(&self, script: &str) -> Command {
        let number = N_SCRIPTS.fetch_add(1, Ordering::Relaxed);
        let script = self.write(&format!("script-{number}.yaml"), script);
        let mut command = Command::new(PROGRAM);
        command.arg("--script").arg(script).arg("--");
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, steps: &str) -> Output {
        self.command(&format!("steps:\n{steps}"))
            .output()
            .expect("the test is well-formed")
    }

    pub(crate) fn start(&self, steps: &str) -> Child {
        let mut command = self.command(&format!("steps:\n{steps}"));
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the test is well-formed")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How a process ends; one that does not is killed and fails the test.
pub(crate) fn ended(process: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = process.try_wait().expect("it is a child of the test") {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            process.kill().expect("it is a child of the test");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// State, parent and session of a process; nothing once it is gone.
pub(crate) fn process(pid: &str) -> Option<(String, String, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields[0].to_owned(), fields[1].to_owned(), fields[3].to_owned()))
}

pub(crate) fn signal(name: &str, pid: &str) {
    let done = Command::new("sh")
        .arg("-c")
        .arg(format!("kill -{name} {pid}"))
        .status();
    assert!(done.expect("the test is well-formed").success());
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the test is well-formed")
}
