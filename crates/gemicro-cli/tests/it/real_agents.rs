//! A world with the real Gemini CLI, Claude Code and Codex, and the simulator as their provider.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::Called;
use crate::simulated::{KEY, Simulated};

/// An agent and a model of it that offers the tools the scenario knows.
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    pub(crate) model: &'static str,
    /// A rule that makes it write the file named in the prompt.
    pub(crate) writes: &'static str,
}

pub(crate) const AGENTS: [Agent; 3] = [
    Agent {
        name: "gemini",
        model: "gemini-3.5-flash",
        writes: "name: write_file, arguments: { file_path: '{{line:File:}}', content: \"made\\n\" }",
    },
    Agent {
        name: "claude",
        model: "claude-opus-4-8",
        writes: "name: Write, arguments: { file_path: '{{line:File:}}', content: \"made\\n\" }",
    },
    Agent {
        name: "codex",
        model: "gpt-5.5-codex",
        writes: "name: apply_patch, arguments: { input: \"*** Begin Patch\\n*** Add File: {{line:File:}}\\n+made\\n*** End Patch\\n\" }",
    },
];

/// Answers, and remembers one word.
pub(crate) const ANSWERS: &str = "  - { name: remembers, when: { prompt_contains: which word, history_contains: WALRUS }, reply: { text: 'The word is WALRUS.' } }\n  \
                       - { name: answers, reply: { text: 'An honest answer.' } }\n";

/// Where `cargo xtask setup` puts them.
fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/agents/node_modules/.bin");
    assert!(
        folder.is_dir(),
        "the agent CLIs are missing: run `cargo xtask setup`"
    );
    folder
}

/// A world with a provider and a folder to work in.
pub(crate) struct Desk {
    pub(crate) simulated: Simulated,
    programs: PathBuf,
}

impl Desk {
    pub(crate) fn new(rules: &str) -> Self {
        let programs = programs();
        let simulated = Simulated::new(rules);
        std::fs::create_dir_all(simulated.world.path("project/.git")).unwrap();
        std::fs::create_dir_all(simulated.world.path("user")).unwrap();
        Self { simulated, programs }
    }

    pub(crate) fn command(&self, agent: &Agent, more: &[&str], prompt: &str) -> Command {
        let mut arguments = vec!["ask", "--agent", agent.name, "--model", agent.model];
        if !more.contains(&"--cd") {
            arguments.extend(["--cd", "project"]);
        }
        arguments.extend(more);
        arguments.push(prompt);
        self.program(&arguments)
    }

    /// The program, told where the agents and their providers are.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let url = self.simulated.running.url();
        let mut command = self.simulated.command(arguments);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display());
        command
            .env("PATH", path)
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", &url)
            .env("OPENAI_API_KEY", KEY)
            .env("OPENAI_BASE_URL", format!("{url}/v1"));
        command
    }

    pub(crate) fn ask(&self, agent: &Agent, more: &[&str], prompt: &str) -> (Called, Value) {
        let mut arguments = vec!["--format", "json", "--max-retries", "0"];
        arguments.extend(more);
        let output = self.command(agent, &arguments, prompt).output().unwrap();
        let called = self.simulated.world.finish(output);
        let answer = serde_json::from_str(&called.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", called.stdout, called.stderr));
        for text in [&called.stdout, &called.stderr] {
            assert!(!text.contains(KEY), "the key is on the screen: {text}");
        }
        (called, answer)
    }

    /// The program of an agent.
    pub(crate) fn cli(&self, agent: &str) -> PathBuf {
        self.programs.join(agent)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.simulated.world.path("project").join(name)
    }

    /// Programs that still work in this world.
    pub(crate) fn n_running(&self) -> usize {
        let place = self.simulated.world.path("");
        let place = place.to_str().unwrap().trim_end_matches('/').as_bytes();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let command_lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        command_lines
            .filter(|line| line.windows(place.len()).any(|window| window == place))
            .count()
    }
}
