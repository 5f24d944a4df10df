//! Limits of an agent's provider: the run waits for their end, whoever dies meanwhile, or another agent takes over.

use std::process::{Command, Stdio};
use std::time::Duration;

use gemicro_event::Timestamp;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::agent_world::{AGENTS, Agent, AgentWorld};
use crate::simulated::until;

/// The first request meets a limit that ends in so many seconds.
fn limited(seconds: u32) -> AgentWorld {
    AgentWorld::real(&format!(
        "  - {{ name: limit, when: {{ prompt_contains: 'Type a message.' }}, times: 1, fault: {{ rate_limit: {{ seconds: {seconds}, announce: body, envelope: rpc }} }} }}\n  \
           - {{ name: answers, reply: {{ text: 'An honest answer.' }} }}\n"
    ))
}

fn status(desk: &AgentWorld) -> Value {
    let called = desk.simulated.call(&["runs", "--format", "json"]);
    let runs: Value = serde_json::from_str(&called.stdout).unwrap();
    runs[0]["status"].clone()
}

fn worker(desk: &AgentWorld) -> Pid {
    let called = desk.simulated.call(&["worker", "status", "--format", "json"]);
    let status: Value = serde_json::from_str(&called.stdout).unwrap();
    Pid::from_raw(i32::try_from(status["pid"].as_i64().unwrap()).unwrap()).unwrap()
}

/// The same surroundings, for a worker that is started on purpose.
fn as_worker(command: &Command) -> Command {
    let mut worker = Command::new(command.get_program());
    worker.arg("worker").env_clear();
    if let Some(folder) = command.get_current_dir() {
        worker.current_dir(folder);
    }
    let set = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    worker.envs(set);
    worker
}

fn time(event: &Value, field: &str) -> Timestamp {
    serde_json::from_value(event.pointer(field).unwrap().clone()).unwrap()
}

#[test]
fn a_limit_parks_the_run_of_any_agent() {
    for agent in &AGENTS {
        let desk = limited(7);
        let more = ["--sandbox", "read-only"];
        let (called, answer) = desk.ask(agent, &more, "Type a message.");
        assert_eq!(
            answer["result"], "An honest answer.",
            "{}: {answer} {}",
            agent.name, called.stderr
        );
        let parked = desk.simulated.event("run_parked");
        let woken = desk.simulated.event("run_woken");
        let late = time(&woken, "/timestamp").since(time(&parked, "/data/until"));
        assert!(late < Duration::from_secs(60), "{}: {late:?}", agent.name);
    }
}

#[test]
fn a_parked_run_survives_its_command_and_its_worker() {
    let agent: &Agent = &AGENTS[0];
    let desk = limited(12);
    let mut command = desk.command(
        agent,
        &["--sandbox", "read-only", "--format", "json"],
        "Type a message.",
    );
    command.env("GEMICRO_RESIDENT", "on");
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the limit", || (status(&desk) == "parked").then_some(()));
    for process in [Pid::from_child(&child), worker(&desk)] {
        kill_process(process, Signal::KILL).unwrap();
    }
    child.wait().unwrap();
    // Another worker, started for whatever reason, has no more to be told than the keys.
    let start = || {
        let mut next = as_worker(&desk.command(agent, &[], "x"));
        next.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut next = start();
    until("the next worker", || {
        // The killed one may hold its place for a moment.
        if next.try_wait().unwrap().is_some() {
            next = start();
        }
        let called = desk.simulated.call(&["worker", "status", "--format", "json"]);
        let status: Value = serde_json::from_str(&called.stdout).unwrap();
        (status["pid"] == next.id()).then_some(())
    });
    let runs = || -> Value {
        let called = desk.simulated.call(&["runs", "--format", "json"]);
        serde_json::from_str(&called.stdout).unwrap()
    };
    let done = until("the answer", || {
        let runs = runs();
        let run = runs.as_array().unwrap().last().unwrap().clone();
        (run["status"] == "completed").then_some(run)
    });
    let id = done["run"].as_str().unwrap();
    let shown = desk.simulated.call(&["events", id]).stdout;
    let events: Vec<Value> = shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str| events.iter().filter(|event| event["event_type"] == kind).count();
    assert_eq!((of("agent_answered"), of("final_result")), (1, 1), "{shown}");
    assert!(of("run_woken") == 1 && of("run_resumed") == 1, "{shown}");
    kill_process(Pid::from_child(&next), Signal::TERM).unwrap();
    assert!(next.wait().unwrap().success());
}

#[test]
fn another_agent_takes_over_where_that_is_wanted() {
    let [gemini, claude, _] = &AGENTS;
    let desk = limited(900);
    let more = ["--sandbox", "read-only", "--fallback", claude.model];
    let (_, answer) = desk.ask(gemini, &more, "Type a message.");
    assert_eq!(
        (&answer["tool"], &answer["success"]),
        (&"claude".into(), &true.into()),
        "{answer}"
    );
    let events = desk.simulated.events();
    assert!(!events.iter().any(|event| event["event_type"] == "run_parked"));
    let started: Vec<&Value> = events
        .iter()
        .filter(|event| event["event_type"] == "agent_started")
        .map(|event| &event["data"]["agent"])
        .collect();
    assert_eq!(started, ["gemini", "claude"]);
    let (_, same) = desk.ask(gemini, &["--fallback", gemini.model], "Type a message.");
    assert_eq!(same["error_kind"], "invalid_input", "{same}");
}
