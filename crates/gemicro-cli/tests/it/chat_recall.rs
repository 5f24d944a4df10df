//! `gemicro chat` with an API model that calls `recall`: the real program, the simulator as provider.

use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

use gemicro_sim::LogEntry;
use gemicro_sim::scenario::ScenarioEndpoint;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::program::Called;
use crate::simulated::{Simulated, until};

/// The turn that says it. Its words occur nowhere else, the message's words not in it.
const FACT: &str = "The ferry captain quietly prefers walnut pudding";
const TURN: usize = 152;
const MESSAGE: &str = "Please name that sweet thing again.";

const RULES: &str = "  - { name: knows, when: { tool_result: recall, tool_result_contains: walnut }, reply: { text: 'It is walnut pudding.', gate: { name: knows, after_chunks: 0 } } }\n  \
     - { name: looks, when: { tool_offered: recall }, reply: { text: 'Let me see.', calls: [{ name: recall, arguments: { query: 'captain pudding' } }] } }\n  \
     - { name: answers, reply: { text: 'No idea.' } }\n";

/// A world with a conversation that is far too long for a prompt of 2,000 tokens.
fn world(n_turns: usize) -> Simulated {
    let simulated = Simulated::new(RULES);
    let mut talk = String::new();
    for turn in 1..=n_turns {
        let text = match turn {
            TURN => format!("{FACT}."),
            _ => format!(
                "Remark {turn}: the harbour crew moved crate {} to shed {} and painted its door in colour {}.",
                turn * 37 % 1009,
                turn * 53 % 211,
                turn * 71 % 97
            ),
        };
        let role = if turn % 2 == 1 { "user" } else { "assistant" };
        let _ = writeln!(talk, "{}", json!({ "turn": turn, "role": role, "text": text }));
    }
    let file = simulated.world.path("talk.jsonl");
    std::fs::write(&file, talk).unwrap();
    let imported = simulated.call(&["conversations", "import", file.to_str().unwrap()]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    simulated
}

fn chat(simulated: &Simulated, model: &str, more: &[&str]) -> Command {
    let mut arguments = vec!["chat", "last", "--summariser", "none", "--max-tokens", "2000"];
    arguments.extend(["--model", model]);
    arguments.extend(more);
    let mut command = simulated.command(&arguments);
    command
        .env("OPENAI_BASE_URL", simulated.running.url())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Says the message and waits for the end of the chat.
fn say(simulated: &Simulated, model: &str, more: &[&str]) -> Called {
    let mut child = chat(simulated, model, more).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{MESSAGE}\n").as_bytes()).unwrap();
    drop(input);
    simulated.world.finish(child.wait_with_output().unwrap())
}

fn check(model: &str, endpoint: ScenarioEndpoint) {
    let simulated = world(300);
    simulated.running.gates().open("knows");
    let called = say(&simulated, model, &[]);
    assert_eq!(
        (called.code, called.stdout.as_str()),
        (0, "It is walnut pudding.\n"),
        "{}",
        called.stderr
    );
    let line = format!("recalled: captain pudding → turn {TURN}");
    assert!(called.stderr.contains(&line), "{}", called.stderr);
    let rules: Vec<LogEntry> = simulated.requests(endpoint);
    assert_eq!(rules.len(), 2, "{rules:?}");
    assert!(
        !rules[0].body.to_string().contains("walnut"),
        "it is not in the prompt: {}",
        rules[0].body
    );
    assert!(rules[1].prompt.contains(FACT), "{}", rules[1].prompt);
    let shown = simulated.call(&["show", "last"]);
    assert!(shown.stdout.contains("It is walnut pudding."), "{}", shown.stdout);
    assert!(shown.stdout.contains(&line), "{}", shown.stdout);
}

#[test]
fn a_gemini_model_looks_up_a_turn_that_its_prompt_leaves_out() {
    check("api:gemini-3.5-flash", ScenarioEndpoint::Interactions);
}

#[test]
fn an_openai_model_looks_up_a_turn_that_its_prompt_leaves_out() {
    check("openai:llama3.2", ScenarioEndpoint::ChatCompletions);
}

/// A conversation that is in the prompt as a whole costs what it did: no function, no sentence about one.
#[test]
fn a_short_conversation_offers_no_function() {
    let simulated = world(4);
    let called = say(&simulated, "api:gemini-3.5-flash", &[]);
    assert_eq!(called.stdout, "No idea.\n", "{}", called.stderr);
    let body = &simulated.requests(ScenarioEndpoint::Interactions)[0].body;
    assert!(
        body.get("tools").is_none() && body.get("system_instruction").is_none(),
        "{body}"
    );
    assert!(!body["input"].to_string().contains("`rules`"), "{body}");
}

/// Killed while the model writes its answer, after the look-up: neither the first call nor the look-up is repeated.
#[test]
fn a_program_killed_between_the_rounds_is_resumed_without_a_second_call() {
    let simulated = world(300);
    let mut child = chat(&simulated, "api:gemini-3.5-flash", &[]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{MESSAGE}\n").as_bytes()).unwrap();
    simulated.reached("knows", 1);
    let second_handle = || {
        let mut events = simulated.events().into_iter();
        events.find(|it| it["event_type"] == "step_handle" && it["data"]["step"] == "whole-2")
    };
    until("the handle of the second call", second_handle);
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    simulated.running.gates().open("knows");
    let resumed = simulated.call(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert!(
        resumed.stdout.contains("It is walnut pudding."),
        "{}",
        resumed.stdout
    );
    assert_eq!(["looks", "knows"].map(|rule| simulated.posts(rule)), [1, 1]);
    let recalls = simulated.events();
    let recalls = recalls
        .iter()
        .filter(|it| it["event_type"] == "conversation_recalled");
    assert_eq!(recalls.count(), 1);
}
