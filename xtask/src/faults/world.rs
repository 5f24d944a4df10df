//! The folder of one scenario: state folder, project, agents, and the simulated model.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::kind::RunKind;
use crate::bench::BenchSimulator;
use crate::process;
use crate::temporary::TemporaryFolder;

/// What every scenario uses.
#[derive(Debug, Clone)]
pub(crate) struct FaultTools {
    pub(crate) root: PathBuf,
    pub(crate) program: PathBuf,
    pub(crate) library: PathBuf,
}

pub(crate) struct FaultWorld {
    folder: TemporaryFolder,
    tools: FaultTools,
    simulator: Option<BenchSimulator>,
    /// Address of the model; that of a proxy, if there is one.
    pub(crate) model_url: String,
    /// Address of the shared store, and the folder of its socket.
    store: Option<(String, PathBuf)>,
    /// Whether the background worker is used.
    pub(crate) is_resident: bool,
}

impl FaultWorld {
    /// A folder with everything that a run of this kind needs.
    pub(crate) fn new(tools: &FaultTools, kind: RunKind, store: Option<(String, PathBuf)>) -> Result<Self> {
        let mut world = Self {
            folder: TemporaryFolder::new()?,
            tools: tools.clone(),
            simulator: None,
            model_url: "http://127.0.0.1:9".to_owned(),
            store,
            is_resident: false,
        };
        for folder in ["user", "project", "agents", "tmp"] {
            std::fs::create_dir_all(world.path(folder))?;
        }
        if let Some(scenario) = kind.scenario() {
            world.write("scenario.yaml", &scenario)?;
            let file = world.path("scenario.yaml");
            let simulator = BenchSimulator::start(&tools.program, &file.to_string_lossy())?;
            world.model_url = simulator.url.clone();
            world.simulator = Some(simulator);
        }
        kind.prepare(&tools.root, &world)?;
        Ok(world)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn library(&self) -> &Path {
        &self.tools.library
    }

    /// The folder of the store's files, or of its server's socket.
    pub(crate) fn store_folder(&self) -> PathBuf {
        match &self.store {
            Some((_, folder)) => folder.clone(),
            None => self.path("home"),
        }
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// The program in the project, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.tools.program);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("agents").display());
        command
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("user"))
            .env("TMPDIR", self.path("tmp"))
            .env("GEMICRO_HOME", self.path("home"))
            .env("GEMICRO_RESIDENT", if self.is_resident { "on" } else { "off" })
            .env("GEMICRO_LINGER", "1")
            .env("GEMINI_API_KEY", "sim-key-0123456789-abcdef")
            .env("GOOGLE_GEMINI_BASE_URL", &self.model_url)
            .current_dir(self.path("project"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some((address, _)) = &self.store {
            command.env("GEMICRO_STORE", address);
        }
        command
    }

    /// A shell command in the project, for git above all.
    pub(crate) fn shell(&self, script: &str) -> Result<()> {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        self.run_tool(&mut shell)
    }

    pub(crate) fn run_tool(&self, command: &mut Command) -> Result<()> {
        self.git_identity(command);
        let output = command.stdin(Stdio::null()).output()?;
        if !output.status.success() {
            let line = process::line(command);
            bail!("`{line}` failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// What git prints in the project.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut git = Command::new("git");
        self.git_identity(git.args(arguments));
        Ok(String::from_utf8_lossy(&git.stdin(Stdio::null()).output()?.stdout).into_owned())
    }

    fn git_identity(&self, command: &mut Command) {
        command
            .current_dir(self.path("project"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(["AUTHOR", "COMMITTER"].map(|role| (format!("GIT_{role}_NAME"), "Ada")))
            .envs(["AUTHOR", "COMMITTER"].map(|role| (format!("GIT_{role}_EMAIL"), "ada@example.com")));
    }

    /// The requests that started a model call, in order.
    pub(crate) fn model_calls(&self) -> Result<usize> {
        let Some(simulator) = &self.simulator else {
            return Ok(0);
        };
        let log = get(&simulator.url, "/_sim/log")?;
        let entries = log["entries"].as_array().cloned().unwrap_or_default();
        let is_call = |entry: &&Value| entry["method"] == "POST" && entry["rule"].is_string();
        Ok(entries.iter().filter(is_call).count())
    }

    /// The address of the simulator itself, without a proxy.
    pub(crate) fn simulator_url(&self) -> Option<&str> {
        self.simulator.as_ref().map(|simulator| simulator.url.as_str())
    }

    /// Ends the simulator: everything that still runs in the folder now is gemicro's.
    pub(crate) fn end_simulator(&mut self) {
        self.simulator = None;
    }
}

/// One request over plain HTTP.
fn get(url: &str, path: &str) -> Result<Value> {
    let host = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).with_context(|| format!("cannot reach {url}"))?;
    write!(
        stream,
        "GET {path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer
        .split_once("\r\n\r\n")
        .context("the simulator's answer has no body")?;
    serde_json::from_str(body).context("the simulator's log is not JSON")
}
