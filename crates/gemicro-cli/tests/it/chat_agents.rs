//! `gemicro chat` with agents: sessions that are lost, tools, and what they recall.

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::agent_world::{AGENTS, Agent, AgentWorld};
use crate::chat::{Chat, KNOWS, asked, events};
use crate::simulated::until;

/// A chat with a real agent, in the worker.
fn over_agent(desk: &AgentWorld, agent: &Agent, more: &[&str]) -> Command {
    let mut arguments = vec![
        "chat",
        "--plain",
        "--format",
        "json",
        "--summariser",
        "none",
        "--cd",
        "project",
    ];
    if !more.contains(&"--model") {
        arguments.extend(["--model", agent.model]);
    }
    arguments.extend(more);
    let mut command = desk.simulated.command(&arguments);
    let configured = desk.command(agent, &[], "x");
    let set = configured
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    command.envs(set).env("GEMICRO_RESIDENT", "on");
    command
}

#[test]
fn twenty_turns_with_gemini_outlive_its_process_and_its_session() {
    let desk = AgentWorld::real(KNOWS);
    let mut chat = Chat::open(over_agent(&desk, &AGENTS[0], &[]));
    assert_eq!(asked(&chat.say("Remember the word WALRUS.")), "native");
    for turn in 2..=6 {
        chat.answer(&format!("This is turn {turn}."));
    }
    let warm = || -> Vec<Value> {
        let called = desk.simulated.call(&["worker", "status", "--format", "json"]);
        let status: Value = serde_json::from_str(&called.stdout).unwrap();
        status["warm"].as_array().cloned().unwrap_or_default()
    };
    let pid = i32::try_from(warm()[0]["pid"].as_i64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    until("the end of the process", || warm().is_empty().then_some(()));
    assert_eq!(chat.answer("Say which word I gave you."), "The word is WALRUS.");
    for turn in 8..=12 {
        chat.answer(&format!("This is turn {turn}."));
    }
    desk.simulated.call(&["worker", "stop"]);
    let n_deleted = delete_sessions(&desk.simulated.world.path("home/agents/homes"));
    assert!(n_deleted > 0, "no session file was found");
    let news = chat.say("Say which word I gave you.");
    assert_eq!(news[news.len() - 1]["text"], "The word is WALRUS.", "{news:?}");
    for turn in 14..=19 {
        chat.answer(&format!("This is turn {turn}."));
    }
    assert_eq!(chat.answer("Once more, which word?"), "The word is WALRUS.");
    let id = chat.id.clone();
    assert_eq!(chat.end(), 0);
    let types = events(&desk.simulated, &id);
    assert_eq!(types.iter().filter(|it| *it == "turn_answered").count(), 20);
    assert!(types.contains(&"transport_switched".to_owned()), "{types:?}");
    desk.simulated.call(&["worker", "stop", "--now"]);
}

#[test]
fn every_agent_knows_what_another_was_reported() {
    let desk = AgentWorld::real(KNOWS);
    let [gemini, claude, codex] = &AGENTS;
    let mut chat = Chat::open(over_agent(&desk, gemini, &[]));
    chat.answer("Remember the word WALRUS.");
    for agent in [claude, codex, gemini] {
        chat.write(&format!("/model {}", agent.model));
        let news = chat.say("Say which word I gave you.");
        assert_eq!(
            news[news.len() - 1]["text"],
            "The word is WALRUS.",
            "{}: {news:?}",
            agent.name
        );
        assert_eq!(asked(&news), "rendered", "{}", agent.name);
        let news = chat.say("And once more, which word?");
        assert_eq!(asked(&news), "native", "{}", agent.name);
        assert_eq!(
            news[news.len() - 1]["text"],
            "The word is WALRUS.",
            "{}: {news:?}",
            agent.name
        );
    }
    assert_eq!(chat.end(), 0);
    desk.simulated.call(&["worker", "stop", "--now"]);
}

#[test]
fn tools_are_shown_and_refused_where_no_one_can_be_asked() {
    let rules = format!(
        "  - {{ name: said, when: {{ tool_result: '*' }}, reply: {{ text: Made. }} }}\n  \
         - {{ name: writes, when: {{ prompt_contains: make the file }}, reply: {{ calls: [{{ {} }}] }} }}\n{KNOWS}",
        AGENTS[1].writes
    );
    let desk = AgentWorld::real(&rules);
    let file = desk.file("made.txt");
    let mut chat = Chat::open(over_agent(&desk, &AGENTS[1], &["--no-resident"]));
    chat.write("make the file\\");
    let news = chat.say(&format!("File: {}", file.display()));
    let tools: Vec<&Value> = news.iter().filter(|item| item["type"] == "tool").collect();
    assert!(
        tools
            .iter()
            .any(|tool| tool["text"].as_str().unwrap().contains("made.txt")),
        "{news:?}"
    );
    assert!(file.exists());
    assert_eq!(chat.end(), 0);
}

/// Deletes all session files below a folder; says how many.
fn delete_sessions(folder: &std::path::Path) -> usize {
    let mut n_deleted = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            n_deleted += delete_sessions(&path);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            std::fs::remove_file(path).unwrap();
            n_deleted += 1;
        }
    }
    n_deleted
}

/// An agent in a chat whose model calls `recall` and answers with what the tool quotes. The model's rules name the tool
/// as it is offered (or the search for tools that are kept back), as it is called, and as its result is called.
fn recalls(agent: &Agent, offered: &str, called: &str, result: &str) {
    let rules = format!(
        "  - {{ when: {{ tool_result: '{result}', tool_result_contains: 'turn 1 user: The pilot boat lies at berth 4711.' }}, reply: {{ text: 'It is berth 4711.' }} }}\n  \
         - {{ when: {{ tool_offered: '{offered}', prompt_contains: 'Which berth' }}, reply: {{ calls: [{{ name: {called}, arguments: {{ query: 'berth of the pilot boat' }} }}] }} }}\n  \
         - {{ reply: {{ text: 'Nothing.' }} }}\n"
    );
    let desk = AgentWorld::real(&rules);
    let talk = "{\"turn\": 1, \"role\": \"user\", \"text\": \"The pilot boat lies at berth 4711.\"}\n\
                {\"turn\": 2, \"role\": \"assistant\", \"text\": \"Noted.\"}\n";
    let file = desk.simulated.world.path("talk.jsonl");
    std::fs::write(&file, talk).unwrap();
    let imported = desk
        .simulated
        .call(&["conversations", "import", file.to_str().unwrap()]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let mut chat = Chat::open(over_agent(&desk, agent, &["last"]));
    assert_eq!(
        chat.answer("Which berth is it?"),
        "It is berth 4711.",
        "{}",
        agent.name
    );
    // The process stays, and its tool with it.
    assert_eq!(
        chat.answer("Which berth was it again?"),
        "It is berth 4711.",
        "{}",
        agent.name
    );
    assert_eq!(chat.end(), 0);
}

#[test]
fn gemini_cli_recalls_its_conversation() {
    let tool = "mcp_gemicro_recall";
    recalls(&AGENTS[0], tool, tool, tool);
}

#[test]
fn claude_code_recalls_its_conversation() {
    let tool = "mcp__gemicro__recall";
    recalls(&AGENTS[1], tool, tool, tool);
}

#[test]
fn codex_recalls_its_conversation() {
    recalls(&AGENTS[2], "exec_command", "mcp__gemicro/recall", "recall");
}
