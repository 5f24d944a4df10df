//! A test environment with its own state folder, in which `gemicro mcp` is called and the background worker runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::json_rpc::JsonRpc;
use crate::process;
use crate::temporary::TemporaryFolder;

/// The environment; its worker is stopped on drop.
pub(crate) struct BenchDesk {
    program: PathBuf,
    place: TemporaryFolder,
    variables: Vec<(String, String)>,
}

impl BenchDesk {
    /// An environment with an empty project.
    pub(crate) fn new(program: &Path) -> Result<Self> {
        let place = TemporaryFolder::new()?;
        for folder in ["project/.git", "user"] {
            std::fs::create_dir_all(place.path().join(folder))?;
        }
        Ok(Self {
            program: program.to_owned(),
            place,
            variables: Vec::new(),
        })
    }

    /// Sets a variable of the program's environment, which is otherwise empty.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Sets the folder in which the program finds agents.
    pub(crate) fn set_agents(&mut self, folder: &Path) {
        self.set("PATH", &search_path(folder));
    }

    /// A path in this environment.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The program, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("user"))
            .env("GEMICRO_HOME", self.path("home"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    /// An initialised MCP server.
    pub(crate) fn server(&self) -> Result<JsonRpc> {
        let mut server = JsonRpc::start(self.command(&["mcp"]))?;
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        let answer = server.request("initialize", &hello)?;
        if answer["serverInfo"]["name"] != "gemicro" {
            bail!("another server answered: {answer}");
        }
        server.notify("notifications/initialized")?;
        Ok(server)
    }

    /// The worker's status; an error if there is no worker.
    pub(crate) fn worker(&self) -> Result<Value> {
        let said = process::output(&mut self.command(&["worker", "status", "--format", "json"]))?;
        let status: Value = serde_json::from_str(&said).context("the worker's status is not JSON")?;
        if !status["pid"].is_u64() {
            bail!("no worker executes the runs: {status}");
        }
        Ok(status)
    }
}

impl Drop for BenchDesk {
    fn drop(&mut self) {
        // It does not matter if there is none; one that stays exits when it has nothing to do.
        drop(self.command(&["worker", "stop"]).output());
    }
}

/// A search path that begins with a folder of agents.
pub(crate) fn search_path(agents: &Path) -> String {
    format!("{}:/usr/local/bin:/usr/bin:/bin", agents.display())
}

/// Calls a tool; anything but success is an error.
pub(crate) fn call(server: &mut JsonRpc, tool: &str, arguments: &Value) -> Result<Value> {
    let params = json!({ "name": tool, "arguments": arguments });
    let mut answer = server.request("tools/call", &params)?;
    if answer["isError"] != false {
        bail!("`{tool}` failed: {}", answer["structuredContent"]);
    }
    Ok(answer["structuredContent"].take())
}
