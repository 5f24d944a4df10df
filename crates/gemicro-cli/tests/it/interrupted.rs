//! The program killed inside a stream or beside an agent at work, and cancelled from another process.

use std::time::Duration;

use gemicro_event::Timestamp;
use gemicro_sim::scenario::ScenarioEndpoint;
use rustix::process::Signal;

use crate::simulated::{Simulated, research, until};

#[test]
fn a_program_killed_inside_a_stream_is_resumed_without_a_second_call() {
    let held = "  - { name: held, when: { prompt_contains: 'Question: What is part 2 of it?' }, reply: \
                { persona: researcher, chunks: { sizes: [8] }, gate: { name: held, after_chunks: 2 } } }\n";
    let simulated = Simulated::new(&format!("{held}{}", research(3)));
    let mut watched = simulated.start_asking(&[]);
    simulated.reached("held", 1);
    for _ in 0..2 {
        watched.until_event("sub_query_completed");
    }
    let has_handle = || {
        let mut handles = simulated.events().into_iter();
        handles.find(|it| it["event_type"] == "step_handle" && it["data"]["step"] == "sub-query 2")
    };
    until("the handle", has_handle);
    watched.signal(Signal::KILL);
    assert_eq!(watched.wait(&simulated.world).code, -1);
    // Lists know at once what `resume` knows, and change nothing.
    let listed = simulated.call(&["runs"]).stdout;
    assert!(listed.contains("  died  "), "{listed}");
    assert!(listed.contains("    # its process has died\n"), "{listed}");
    let shown = simulated.call(&["show", "last"]).stdout;
    assert!(shown.contains(" · died\n"), "{shown}");
    assert!(shown.contains("its process has died; last event"), "{shown}");
    assert!(shown.contains("Cost      up to "), "{shown}");
    assert!(shown.contains("continue where it stopped"), "{shown}");
    simulated.running.gates().open("held");
    let resumed = simulated.call(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let reports = resumed.stderr.matches("The process of this run has died").count();
    assert_eq!(reports, 1, "{}", resumed.stderr);
    assert!(
        resumed.stdout.contains("What is part 2 of it?"),
        "{}",
        resumed.stdout
    );
    let posts = ["decompose", "answer", "held", "synthesize"].map(|rule| simulated.posts(rule));
    assert_eq!(posts, [1, 2, 1, 1]);
    assert!(!simulated.requests(ScenarioEndpoint::GetInteraction).is_empty());
}

#[test]
fn cancelling_an_agent_from_another_process_reaches_the_provider() {
    let simulated = Simulated::new("  - fault: { hang: { after_chunks: 0 } }\n");
    let arguments = [
        "research",
        "--backend",
        "deep-research",
        "--format",
        "jsonl",
        "What is it?",
    ];
    let mut watched = simulated.start(&arguments);
    watched.until_event("step_handle");
    let cancelled = simulated.call(&["cancel", "last"]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.stderr);
    assert!(cancelled.stderr.contains("is cancelled"), "{}", cancelled.stderr);
    assert_eq!(watched.wait(&simulated.world).code, 130);
    let asked: Timestamp =
        serde_json::from_value(simulated.event("cancel_requested")["timestamp"].clone()).unwrap();
    let cancellations = simulated.requests(ScenarioEndpoint::CancelInteraction);
    assert_eq!(cancellations.len(), 1);
    assert!(cancellations[0].at.since(asked) < Duration::from_secs(2));
    assert_eq!(simulated.requests(ScenarioEndpoint::Interactions).len(), 1);
}

#[test]
fn an_agent_that_was_left_by_ctrl_c_is_found_again() {
    let rules = "  - { name: agent, reply: { text: 'The report of the agent.', gate: { name: held, after_chunks: 0 } } }\n";
    let simulated = Simulated::new(rules);
    let arguments = [
        "research",
        "--backend",
        "deep-research",
        "--format",
        "jsonl",
        "What is it?",
    ];
    let mut watched = simulated.start(&arguments);
    watched.until_event("step_handle");
    watched.signal(Signal::INT);
    assert_eq!(watched.wait(&simulated.world).code, 130);
    simulated.running.gates().open("held");
    let resumed = simulated.call(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert!(
        resumed.stdout.contains("The report of the agent."),
        "{}",
        resumed.stdout
    );
    assert_eq!(simulated.posts("agent"), 1);
    assert_eq!(simulated.requests(ScenarioEndpoint::CancelInteraction).len(), 0);
}
