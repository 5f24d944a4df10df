//! A world in which `gemini` is a fake that performs a script.

use std::process::Command;

use serde_json::Value;

use crate::simulated::{KEY, Simulated};

/// What every run of the fake says first.
pub(crate) const INIT: &str = r#"  - print: '{"type":"init","timestamp":"2026-11-15T10:00:00Z","session_id":"10eac96a-83a2-42b4-ab4b-78aa9e87c983","model":"gemini-3.5-flash"}'
  - print: '{"type":"message","timestamp":"2026-11-15T10:00:00Z","role":"assistant","content":"So far so good. ","delta":true}'
"#;
/// What it ends with.
pub(crate) const RESULT: &str = r#"  - print: '{"type":"result","timestamp":"2026-11-15T10:00:01Z","status":"success","stats":{}}'
"#;

/// Where the player of the agent is.
pub(crate) const PACKAGE: &str = "npm/node_modules/fake";

/// A world in which `gemini` does what a script says.
pub(crate) struct Stage {
    pub(crate) simulated: Simulated,
}

impl Stage {
    pub(crate) fn new(steps: &str) -> Self {
        let simulated = Simulated::new(
            "  - { name: answers, reply: { text: hello, usage: { input: 4000, output: 1000 } } }\n",
        );
        let stage = Self { simulated };
        for folder in ["project", "user/.ssh", PACKAGE] {
            std::fs::create_dir_all(stage.path(folder)).unwrap();
        }
        std::fs::write(stage.path("user/.ssh/id"), "TOP SECRET").unwrap();
        // Like a package of npm: everything that it needs lies in one folder.
        let (package, program) = (stage.path(PACKAGE), stage.path(PACKAGE).join("player"));
        if std::fs::hard_link(env!("CARGO_BIN_EXE_gemicro"), &program).is_err() {
            std::fs::copy(env!("CARGO_BIN_EXE_gemicro"), &program).unwrap();
        }
        let script = package.join("script.yaml");
        std::fs::write(&script, format!("agent: gemini\nsteps:\n{steps}")).unwrap();
        let installed = Command::new(&program)
            .args(["sim", "agent", "--as", "gemini", "--install"])
            .arg(&package)
            .arg("--script")
            .arg(&script)
            .status();
        assert!(installed.unwrap().success());
        stage
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.simulated.world.path(name)
    }

    /// The search path that finds the agent.
    pub(crate) fn search_path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.path(PACKAGE).display())
    }

    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut arguments = vec!["ask", "--agent", "gemini", "--format", "json"];
        if !more.contains(&"--cd") {
            arguments.extend(["--cd", "project"]);
        }
        if !more.contains(&"--max-retries") {
            arguments.extend(["--max-retries", "0"]);
        }
        arguments.extend(more);
        arguments.push("Do it");
        let mut command = self.simulated.command(&arguments);
        command.env("PATH", self.search_path());
        command
    }

    pub(crate) fn ask(&self, more: &[&str]) -> Value {
        let called = self.simulated.world.finish(self.command(more).output().unwrap());
        assert!(!called.stderr.contains(KEY) && !called.stdout.contains(KEY));
        serde_json::from_str(&called.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", called.stdout, called.stderr))
    }

    pub(crate) fn assert_nothing_runs(&self) {
        let place = self.path("");
        let place = place.to_str().unwrap().trim_end_matches('/').to_owned();
        let running = running_in(&place);
        assert!(running.is_empty(), "{running:?}");
    }
}

/// Command lines of processes that work somewhere below a place, or name it.
pub(crate) fn running_in(place: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let folder = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            (line.contains(place) || folder.starts_with(place)).then_some(line)
        })
        .collect()
}
