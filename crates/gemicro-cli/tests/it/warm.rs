//! Conversations over the resident worker, with the real CLIs: warm turns, lost processes, lost sessions.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::agent_world::{AGENTS, ANSWERS, Agent, AgentWorld};
use crate::program::Called;
use crate::simulated::until;

/// Who is told the record of a conversation in one message knows the word from there.
const KNOWN_WORD: &str = "  - { name: told, when: { prompt_contains: \"WALRUS.\\n[\" }, reply: { text: 'The word is WALRUS.' } }\n";

/// A desk whose runs are the worker's.
struct Warm(AgentWorld);

impl Warm {
    fn new() -> Self {
        Self(AgentWorld::real(&format!("{KNOWN_WORD}{ANSWERS}")))
    }

    fn ask(&self, agent: &Agent, more: &[&str], prompt: &str) -> Value {
        let mut arguments = vec!["--format", "json", "--max-retries", "0"];
        arguments.extend(more);
        let mut command = self.0.command(agent, &arguments, prompt);
        let output = command.env("GEMICRO_RESIDENT", "on").output().unwrap();
        let called: Called = self.0.simulated.world.finish(output);
        serde_json::from_str(&called.stdout).unwrap_or_else(|error| panic!("{error}: {}", called.stderr))
    }

    fn worker(&self, word: &str) -> String {
        let called = self.0.simulated.call(&["worker", word]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout
    }

    fn warm(&self) -> Vec<Value> {
        let called = self.0.simulated.call(&["worker", "status", "--format", "json"]);
        let status: Value = serde_json::from_str(&called.stdout).unwrap();
        status["warm"].as_array().cloned().unwrap_or_default()
    }

    /// Begins a conversation in which a word is to be remembered; its session.
    fn begin(&self, agent: &Agent) -> String {
        let answer = self.ask(agent, &[], "Remember the word WALRUS.");
        assert_eq!(answer["success"], true, "{answer}");
        answer["SESSION_ID"].as_str().unwrap().to_owned()
    }

    /// Asks for the word.
    fn remembers(&self, agent: &Agent, session: &str) -> Value {
        let answer = self.ask(agent, &["--session", session], "Say which word I gave you.");
        assert_eq!(
            answer["result"], "The word is WALRUS.",
            "{}: {answer}",
            agent.name
        );
        answer
    }
}

impl Drop for Warm {
    fn drop(&mut self) {
        let _ = self.0.simulated.call(&["worker", "stop", "--now"]);
    }
}

#[test]
fn the_next_turn_finds_its_process_warm() {
    for agent in &AGENTS[..2] {
        let desk = Warm::new();
        let session = desk.begin(agent);
        let before = desk.warm();
        assert_eq!(before.len(), 1, "{}: {before:?}", agent.name);
        assert_eq!(before[0]["session"], *session, "{}", agent.name);
        for _ in 0..2 {
            assert_eq!(desk.remembers(agent, &session)["SESSION_ID"], *session);
        }
        let after = desk.warm();
        assert_eq!(
            after[0]["pid"], before[0]["pid"],
            "{}: another process",
            agent.name
        );
        // Killed, it is replaced and nobody notices.
        let pid = i32::try_from(after[0]["pid"].as_i64().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        until("the end of the process", || desk.warm().is_empty().then_some(()));
        desk.remembers(agent, &session);
        desk.worker("stop");
        desk.0.assert_nothing_runs();
    }
}

#[test]
fn a_turn_is_asked_as_the_one_before_unless_asked_otherwise() {
    let desk = Warm::new();
    let claude = &AGENTS[1];
    let answer = desk.ask(
        claude,
        &["--sandbox", "read-only", "--no-yolo"],
        "Remember the word WALRUS.",
    );
    let session = answer["SESSION_ID"].as_str().unwrap();
    let configured = desk.0.command(claude, &[], "x");
    for named in [session, "last", &session[..8]] {
        // From another folder, with nothing but the session named.
        let mut command =
            desk.0
                .simulated
                .command(&["ask", "--session", named, "--format", "json", "Go on."]);
        let set = configured
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?)));
        let output = command.envs(set).env("GEMICRO_RESIDENT", "on").output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["SESSION_ID"], session, "{named}: {answer}");
    }
    let plan = desk.0.simulated.event("run_started")["data"]["plan"]["task"].clone();
    assert_eq!(
        (&plan["sandbox"], &plan["yolo"]),
        (&"read-only".into(), &false.into()),
        "{plan}"
    );
    assert_eq!(plan["model"], claude.model);
    assert!(
        plan["directory"].as_str().unwrap().ends_with("/project"),
        "{plan}"
    );
}

#[test]
fn settings_that_appeared_between_turns_are_behind_the_wall_of_the_next() {
    let desk = Warm::new();
    let claude = &AGENTS[1];
    let session = desk.begin(claude);
    let before = desk.warm()[0]["pid"].clone();
    std::fs::write(desk.0.file(".envrc"), "export A=b\n").unwrap();
    desk.remembers(claude, &session);
    assert_ne!(desk.warm()[0]["pid"], before, "the old walls know nothing of it");
    // What is known about a session is not guessed, and its home is not thrown away.
    let homes = desk.0.simulated.world.path("home/agents/homes");
    let home = std::fs::read_dir(homes).unwrap().next().unwrap().unwrap().path();
    desk.worker("stop");
    std::fs::write(home.join("about.json"), "garbage").unwrap();
    let answer = desk.ask(claude, &["--session", &session], "Go on.");
    assert_eq!(answer["error_kind"], "storage_error", "{answer}");
    assert!(home.join("home").is_dir());
}

#[test]
fn a_lost_session_is_reported_again_from_the_journal() {
    for agent in &AGENTS {
        let desk = Warm::new();
        let session = desk.begin(agent);
        desk.worker("stop");
        // Everything that the CLI knew of its sessions.
        let homes = desk.0.simulated.world.path("home/agents/homes");
        let n_deleted = delete_jsonl(
            &homes
                .join(
                    std::fs::read_dir(&homes)
                        .unwrap()
                        .next()
                        .unwrap()
                        .unwrap()
                        .file_name(),
                )
                .join("home"),
        );
        assert!(n_deleted > 0, "{}: no session file was found", agent.name);
        let answer = desk.remembers(agent, &session);
        let alarm = desk.0.simulated.event("step_alarm");
        assert!(
            alarm["message"].as_str().unwrap().contains("with what was said"),
            "{alarm}"
        );
        // The name of old leads to the new session.
        let new = answer["SESSION_ID"].as_str().unwrap();
        assert_ne!(new, session);
        for name in [session.as_str(), new] {
            desk.remembers(agent, name);
        }
    }
}

/// Deletes all session files below a folder; says how many.
fn delete_jsonl(folder: &std::path::Path) -> usize {
    let mut n_deleted = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            n_deleted += delete_jsonl(&path);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            std::fs::remove_file(path).unwrap();
            n_deleted += 1;
        }
    }
    n_deleted
}

#[test]
fn a_session_belongs_to_its_agent_and_its_folder() {
    let desk = Warm::new();
    let [gemini, claude, _] = &AGENTS;
    let session = desk.begin(claude);
    let other = desk.ask(gemini, &["--session", &session], "Go on.");
    assert_eq!(other["error_kind"], "invalid_input", "{other}");
    assert!(
        other["error"].as_str().unwrap().contains("belongs to claude"),
        "{other}"
    );
    std::fs::create_dir_all(desk.0.simulated.world.path("elsewhere")).unwrap();
    let elsewhere = desk.ask(claude, &["--session", &session, "--cd", "elsewhere"], "Go on.");
    assert_eq!(elsewhere["error_kind"], "invalid_input", "{elsewhere}");
    assert!(
        elsewhere["error"]
            .as_str()
            .unwrap()
            .contains("belongs to the folder"),
        "{elsewhere}"
    );
    // Who was refused did not end it.
    assert_eq!(desk.warm().len(), 1);
    let unknown = desk.ask(
        claude,
        &["--session", "0e2b1c9a-1111-4222-8333-444455556666"],
        "Go on.",
    );
    assert_eq!(unknown["error_kind"], "session_not_found", "{unknown}");
    desk.remembers(claude, &session);
}
