//! A place to hand batches in: a simulated provider, a folder, and the program.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::program::Called;
use crate::simulated::Simulated;

/// Prompts are answered at once; those about something slow wait for the gate `held`.
const RULES: &str = "  \
     - { name: held, when: { prompt_contains: a slow one }, reply: { text: Done., gate: { name: held, after_chunks: 0 } } }\n  \
     - { name: quick, reply: { text: 'An answer.' } }\n";

/// Where batches are handed in.
pub(crate) struct Place {
    pub(crate) simulated: Simulated,
    is_resident: bool,
}

impl Place {
    /// Where this process carries batches out.
    pub(crate) fn alone() -> Self {
        Self::new(false)
    }

    /// Where the resident worker does.
    pub(crate) fn resident() -> Self {
        Self::new(true)
    }

    fn new(is_resident: bool) -> Self {
        let simulated = Simulated::new(RULES);
        // A sandbox hides the user's home, which must not lie in the folder of the batch.
        for folder in ["user", "project/inner"] {
            std::fs::create_dir_all(simulated.world.path(folder)).unwrap();
        }
        Self {
            simulated,
            is_resident,
        }
    }

    /// A path in the folder of its batches.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.simulated.world.path("project").join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.simulated.command(arguments);
        command.env("PATH", "/usr/bin:/bin").current_dir(self.path(""));
        if self.is_resident {
            command.env("GEMICRO_RESIDENT", "on").env("GEMICRO_LINGER", "1");
        }
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Called {
        let output = self.command(arguments).output().unwrap();
        self.simulated.world.finish(output)
    }

    /// Calls `gemicro batch` and expects an answer with this exit code.
    pub(crate) fn batch(&self, code: i32, arguments: &[&str]) -> Value {
        let called = self.call(&[&["batch"], arguments].concat());
        assert_eq!(
            called.code, code,
            "{arguments:?}\n{}\n{}",
            called.stdout, called.stderr
        );
        last_line(&called)
    }

    /// Starts handing in a batch from stdin.
    pub(crate) fn start(&self, body: &str, more: &[&str]) -> Child {
        let mut command = self.command(&[&["batch", "submit", "-"], more].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Who refuses early reads nothing.
        let _ = child.stdin.take().unwrap().write_all(body.as_bytes());
        child
    }

    /// Hands in a batch and takes all that was said.
    pub(crate) fn submit(&self, body: &str, more: &[&str]) -> Called {
        let output = self.start(body, more).wait_with_output().unwrap();
        self.simulated.world.finish(output)
    }

    /// Hands in tasks and expects that they are taken and, where this is their end, that all complete.
    pub(crate) fn must(&self, tasks: &Value, more: &[&str]) -> Value {
        self.ends(0, tasks, more)
    }

    /// Hands in tasks and expects this exit code.
    pub(crate) fn ends(&self, code: i32, tasks: &Value, more: &[&str]) -> Value {
        let called = self.submit(&tasks.to_string(), more);
        assert_eq!(called.code, code, "{}\n{}", called.stdout, called.stderr);
        last_line(&called)
    }

    /// The lines that commands wrote into a file.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_resident {
            let _ = self.command(&["worker", "stop", "--now"]).output();
        }
    }
}

/// The last JSON line.
pub(crate) fn last_line(called: &Called) -> Value {
    let line = called.stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {}\n{}", called.stdout, called.stderr))
}

pub(crate) fn shell(task_id: &str, command: &str) -> Value {
    json!({ "task_id": task_id, "type": "execute_shell_command", "parameters": { "command": command } })
}

pub(crate) fn prompt(task_id: &str, prompt: &str) -> Value {
    json!({ "task_id": task_id, "type": "prompt", "parameters": { "prompt": prompt } })
}

/// The states of all tasks, in order.
pub(crate) fn states(answer: &Value) -> Vec<(&str, &str)> {
    let results = answer["results"].as_array().unwrap().iter();
    results
        .map(|item| (item["task_id"].as_str().unwrap(), item["state"].as_str().unwrap()))
        .collect()
}
