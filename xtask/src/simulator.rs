//! The simulator as a process of its own, for benches and scores.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A running simulator; it ends with its owner.
pub(crate) struct Simulator {
    process: Child,
    /// Where it answers.
    pub(crate) url: String,
}

impl Simulator {
    /// Starts it with a scenario, or with the built-in one.
    pub(crate) fn start(program: &Path, scenario: Option<&Path>) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["sim", "serve"]);
        if let Some(scenario) = scenario {
            command.arg("--scenario").arg(scenario);
        }
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let stdout = process.stdout.take().context("the simulator has no stdout")?;
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url)?;
        let url = url.trim().to_owned();
        if url.is_empty() {
            let _ = process.kill();
            bail!("the simulator did not start: try `gemicro sim serve`");
        }
        Ok(Self { process, url })
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
