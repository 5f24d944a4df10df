//! `gemicro sim serve` as a child process: a scripted model until it is dropped.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A running simulator; killed on drop.
pub(crate) struct BenchSimulator {
    child: Child,
    pub(crate) url: String,
}

impl BenchSimulator {
    /// Starts it with a built-in scenario or a file, and waits for its address.
    pub(crate) fn start(program: &Path, scenario: &str) -> Result<Self> {
        let child = Command::new(program)
            .args(["sim", "serve", "--scenario", scenario])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut simulator = Self {
            child,
            url: String::new(),
        };
        if let Some(stdout) = simulator.child.stdout.take() {
            BufReader::new(stdout).read_line(&mut simulator.url)?;
        }
        simulator.url = simulator.url.trim().to_owned();
        if !simulator.url.starts_with("http://127.0.0.1:") {
            bail!("`gemicro sim serve --scenario {scenario}` printed no address");
        }
        Ok(simulator)
    }
}

impl Drop for BenchSimulator {
    fn drop(&mut self) {
        // It keeps no state, and it does not matter if it is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_that_gives_no_address_is_an_error() {
        let error = BenchSimulator::start(Path::new("/bin/echo"), "liar").err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(message, "`gemicro sim serve --scenario liar` printed no address");
    }
}
