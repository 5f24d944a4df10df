//! A world with agents in its search path, real ones or one that performs a script, and the simulator as their provider.

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

/// What every run of the fake says first.
pub(crate) const INIT: &str = r#"  - print: '{"type":"init","timestamp":"2026-11-15T10:00:00Z","session_id":"10eac96a-83a2-42b4-ab4b-78aa9e87c983","model":"gemini-3.5-flash"}'
  - print: '{"type":"message","timestamp":"2026-11-15T10:00:00Z","role":"assistant","content":"So far so good. ","delta":true}'
"#;
/// What it ends with.
pub(crate) const RESULT: &str = r#"  - print: '{"type":"result","timestamp":"2026-11-15T10:00:01Z","status":"success","stats":{}}'
"#;

/// Where the player of the agent is.
pub(crate) const PACKAGE: &str = "npm/node_modules/fake";

/// A world with a provider, agents and a project to work in.
pub(crate) struct AgentWorld {
    pub(crate) simulated: Simulated,
    /// Where the programs of the agents are.
    programs: PathBuf,
    search_path: String,
}

impl AgentWorld {
    /// The real Gemini CLI, Claude Code and Codex; `rules` are those of their models.
    pub(crate) fn real(rules: &str) -> Self {
        let programs = programs();
        let simulated = Simulated::new(rules);
        std::fs::create_dir_all(simulated.world.path("project/.git")).unwrap();
        std::fs::create_dir_all(simulated.world.path("user")).unwrap();
        Self {
            search_path: format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display()),
            simulated,
            programs,
        }
    }

    /// A `gemini` that does what a script says.
    pub(crate) fn scripted(steps: &str) -> Self {
        let simulated = Simulated::new(
            "  - { name: answers, reply: { text: hello, usage: { input: 4000, output: 1000 } } }\n",
        );
        let programs = simulated.world.path(PACKAGE);
        let world = Self {
            search_path: format!("{}:/usr/bin:/bin", programs.display()),
            simulated,
            programs,
        };
        for folder in ["project", "user/.ssh", PACKAGE] {
            std::fs::create_dir_all(world.path(folder)).unwrap();
        }
        std::fs::write(world.path("user/.ssh/id"), "TOP SECRET").unwrap();
        // Like a package of npm: everything that it needs is in one folder.
        let player = world.programs.join("player");
        if std::fs::hard_link(env!("CARGO_BIN_EXE_gemicro"), &player).is_err() {
            std::fs::copy(env!("CARGO_BIN_EXE_gemicro"), &player).unwrap();
        }
        let script = world.programs.join("script.yaml");
        std::fs::write(&script, format!("agent: gemini\nsteps:\n{steps}")).unwrap();
        let installed = Command::new(&player)
            .args(["sim", "agent", "--as", "gemini", "--install"])
            .arg(&world.programs)
            .arg("--script")
            .arg(&script)
            .status();
        assert!(installed.unwrap().success());
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.simulated.world.path(name)
    }

    /// A file of the project.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path("project").join(name)
    }

    /// The program of an agent.
    pub(crate) fn cli(&self, agent: &str) -> PathBuf {
        self.programs.join(agent)
    }

    /// The search path that finds the agents.
    pub(crate) fn search_path(&self) -> &str {
        &self.search_path
    }

    /// The program, told where the real agents and their providers are.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let url = self.simulated.running.url();
        let mut command = self.simulated.command(arguments);
        command
            .env("PATH", &self.search_path)
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", &url)
            .env("OPENAI_API_KEY", KEY)
            .env("OPENAI_BASE_URL", format!("{url}/v1"));
        command
    }

    pub(crate) fn command(&self, agent: &Agent, more: &[&str], prompt: &str) -> Command {
        let first = ["ask", "--agent", agent.name, "--model", agent.model];
        self.program(&in_project(&first, more, prompt))
    }

    pub(crate) fn ask(&self, agent: &Agent, more: &[&str], prompt: &str) -> (Called, Value) {
        let mut arguments = vec!["--format", "json", "--max-retries", "0"];
        arguments.extend(more);
        self.answer(self.command(agent, &arguments, prompt))
    }

    /// The program that asks the agent of the script; the answer is JSON.
    pub(crate) fn scripted_command(&self, more: &[&str]) -> Command {
        let mut first = vec!["ask", "--agent", "gemini", "--format", "json"];
        if !more.contains(&"--max-retries") {
            first.extend(["--max-retries", "0"]);
        }
        let mut command = self.simulated.command(&in_project(&first, more, "Do it"));
        command.env("PATH", &self.search_path);
        command
    }

    pub(crate) fn ask_scripted(&self, more: &[&str]) -> Value {
        self.answer(self.scripted_command(more)).1
    }

    /// What a program printed as JSON; the key is not on its screen.
    fn answer(&self, mut command: Command) -> (Called, Value) {
        let called = self.simulated.world.finish(command.output().unwrap());
        for text in [&called.stdout, &called.stderr] {
            assert!(!text.contains(KEY), "the key is on the screen: {text}");
        }
        let answer = serde_json::from_str(&called.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", called.stdout, called.stderr));
        (called, answer)
    }

    /// No program works in this world any more.
    pub(crate) fn assert_nothing_runs(&self) {
        let place = self.path("");
        let running = running_in(place.to_str().unwrap().trim_end_matches('/'));
        assert!(running.is_empty(), "{running:?}");
    }
}

/// Arguments that let an agent work in the project unless `more` has a folder.
fn in_project<'a>(first: &[&'a str], more: &[&'a str], prompt: &'a str) -> Vec<&'a str> {
    let mut arguments = first.to_vec();
    if !more.contains(&"--cd") {
        arguments.extend(["--cd", "project"]);
    }
    arguments.extend(more);
    arguments.push(prompt);
    arguments
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
