//! The real Gemini CLI, Claude Code and Codex, inside the sandbox, through the gateway, against the simulator.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::Called;
use crate::simulated::{KEY, Simulated, until};

/// An agent and a model of it that offers the tools the scenario knows.
struct Agent {
    name: &'static str,
    model: &'static str,
    /// A rule that makes it write the file named in the prompt.
    writes: &'static str,
}

const AGENTS: [Agent; 3] = [
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

const ANSWERS: &str = "  - { name: remembers, when: { prompt_contains: which word, history_contains: WALRUS }, reply: { text: 'The word is WALRUS.' } }\n  \
                       - { name: answers, reply: { text: 'An honest answer.' } }\n";

/// Where `cargo xtask setup` puts them; they must be there in CI.
#[expect(clippy::print_stderr, reason = "a skip must be loud")]
fn programs() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/agents/node_modules/.bin");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "the agent CLIs are missing: run `cargo xtask setup`"
    );
    eprintln!("SKIPPED: the agent CLIs are missing; `cargo xtask setup` installs them");
    None
}

/// A world with a provider and a folder to work in.
struct Desk {
    simulated: Simulated,
    programs: PathBuf,
}

impl Desk {
    fn new(rules: &str) -> Option<Self> {
        let programs = programs()?;
        let simulated = Simulated::new(rules);
        std::fs::create_dir_all(simulated.world.path("project/.git")).unwrap();
        std::fs::create_dir_all(simulated.world.path("user")).unwrap();
        Some(Self { simulated, programs })
    }

    fn command(&self, agent: &Agent, more: &[&str], prompt: &str) -> Command {
        let mut arguments = vec![
            "ask",
            "--cd",
            "project",
            "--agent",
            agent.name,
            "--model",
            agent.model,
        ];
        arguments.extend(more);
        arguments.push(prompt);
        let url = self.simulated.running.url();
        let mut command = self.simulated.command(&arguments);
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display());
        command
            .env("PATH", path)
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", &url)
            .env("OPENAI_API_KEY", KEY)
            .env("OPENAI_BASE_URL", format!("{url}/v1"));
        command
    }

    fn ask(&self, agent: &Agent, more: &[&str], prompt: &str) -> (Called, Value) {
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

    fn file(&self, name: &str) -> PathBuf {
        self.simulated.world.path("project").join(name)
    }

    /// Programs that still work in this world.
    fn n_running(&self) -> usize {
        let place = self.simulated.world.path("");
        let place = place.to_str().unwrap().trim_end_matches('/').as_bytes();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let command_lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        command_lines
            .filter(|line| line.windows(place.len()).any(|window| window == place))
            .count()
    }
}

#[test]
fn each_agent_answers_and_goes_on_with_its_session() {
    for agent in &AGENTS {
        let Some(desk) = Desk::new(ANSWERS) else { return };
        let (called, answer) = desk.ask(agent, &[], "Remember the word WALRUS.");
        assert_eq!(called.code, 0, "{}", called.stderr);
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["success", "tool", "SESSION_ID", "result", "duration"]);
        assert_eq!(answer["result"], "An honest answer.", "{}", agent.name);
        assert_eq!(answer["tool"], agent.name);
        let end = desk.simulated.event("final_result");
        assert_eq!(
            (&end["data"]["tier"], &end["data"]["access"]),
            (&"full".into(), &"gateway".into())
        );
        let session = answer["SESSION_ID"].as_str().expect("a session");
        let (called, answer) = desk.ask(agent, &["--session", session], "Now tell me which word.");
        assert_eq!(called.code, 0, "{}", called.stderr);
        assert_eq!(answer["result"], "The word is WALRUS.", "{}", agent.name);
        assert_eq!(answer["SESSION_ID"], session, "{}", agent.name);
        desk.simulated.assert_no_key();
        assert_eq!(desk.n_running(), 0);
    }
}

#[test]
fn each_agent_writes_where_it_may_and_nowhere_else() {
    for agent in &AGENTS {
        let rules = format!(
            "  - {{ name: said, when: {{ tool_result: '*' }}, reply: {{ text: 'Tool: {{{{tool_result}}}}' }} }}\n  \
             - {{ name: writes, when: {{ prompt_contains: make the file }}, reply: {{ calls: [{{ {} }}] }} }}\n  \
             - {{ name: answers, reply: {{ text: other }} }}\n",
            agent.writes
        );
        let Some(desk) = Desk::new(&rules) else { return };
        let make = |sandbox: &str, file: &Path| {
            let prompt = format!("make the file\nFile: {}", file.display());
            desk.ask(agent, &["--sandbox", sandbox], &prompt);
        };
        make("workspace-write", &desk.file("made.txt"));
        assert_eq!(
            std::fs::read_to_string(desk.file("made.txt")).unwrap().trim(),
            "made",
            "{}",
            agent.name
        );
        make("read-only", &desk.file("not-made.txt"));
        make("workspace-write", &desk.file(".git/hook"));
        let outside = desk.simulated.world.path("outside.txt");
        make("workspace-write", &outside);
        for file in [desk.file("not-made.txt"), desk.file(".git/hook"), outside] {
            assert!(!file.exists(), "{} wrote {}", agent.name, file.display());
        }
    }
}

#[test]
fn each_failure_of_a_provider_has_its_kind() {
    for (fault, kinds) in [
        ("http: { status: 401 }", &["auth_failed"][..]),
        ("rate_limit: { announce: nowhere }", &["rate_limited"]),
        ("http: { status: 500 }", &["upstream_error"]),
    ] {
        let Some(desk) = Desk::new(&format!("  - {{ name: fails, fault: {{ {fault} }} }}\n")) else {
            return;
        };
        for agent in &AGENTS {
            let (called, answer) = desk.ask(agent, &[], "hello");
            assert_ne!(called.code, 0, "{}: {fault}", agent.name);
            let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(
                keys,
                [
                    "success",
                    "tool",
                    "error",
                    "error_kind",
                    "error_detail",
                    "duration"
                ]
            );
            let kind = answer["error_kind"].as_str().unwrap();
            assert!(kinds.contains(&kind), "{}: {fault} gave {answer}", agent.name);
        }
    }
}

#[test]
fn a_cancelled_agent_is_gone_with_all_it_started() {
    for agent in &AGENTS {
        let Some(desk) = Desk::new("  - { name: silent, fault: { hang: { after_chunks: 0 } } }\n") else {
            return;
        };
        let mut child = desk
            .command(agent, &["--format", "json"], "hello")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("a request", || {
            (!desk.simulated.running.log().entries().is_empty()).then_some(())
        });
        desk.simulated.world.must(&["cancel", "last"]);
        assert!(!child.wait().unwrap().success());
        assert_eq!(desk.n_running(), 0, "{}", agent.name);
        assert_eq!(
            desk.simulated.event("run_cancelled")["event_type"],
            "run_cancelled"
        );
    }
}
