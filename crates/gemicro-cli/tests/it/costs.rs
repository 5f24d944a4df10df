//! What is not known about a cost is said, never shown as nothing.

use gemicro_core::store::{NewEvent, NewStream, Store, StreamKind};
use gemicro_event::{AgentUpdate, Charge, Json, StepKey, StreamId, Timestamp};
use gemicro_store::SqliteStore;
use serde_json::{Value, json};

use crate::program::World;
use crate::simulated::{Simulated, research};

/// A model that is known without a price.
const UNPRICED: &str = "gemini-3.5-flash";

#[test]
fn tokens_without_a_price_are_named_everywhere() {
    let simulated = Simulated::new(&research(1));
    let asked = simulated.ask(&["--model", UNPRICED]);
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    let words = format!("no known price for {UNPRICED}");
    assert!(asked.stderr.contains(&words), "{}", asked.stderr);

    let world = &simulated.world;
    let shown = world.must(&["show", "last"]).stdout;
    assert!(shown.contains(&words) && !shown.contains("$0.00"), "{shown}");
    let listed = world.command(&["runs"]).env("COLUMNS", "160").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("price unknown") && !listed.contains('$'),
        "{listed}"
    );

    let row: Value = serde_json::from_str(&world.must(&["runs", "--format", "json"]).stdout).unwrap();
    let spent = &row[0]["spent"];
    let unpriced = json!([{ "model": UNPRICED, "tokens": spent["tokens"] }]);
    assert_eq!(spent["unpriced_models"], unpriced);
    assert_eq!(spent["micro_usd"], 0);
    let story: Value =
        serde_json::from_str(&world.must(&["show", "last", "--format", "json"]).stdout).unwrap();
    assert_eq!(story["spent"]["unpriced_models"], unpriced, "{story:#}");
    let result = &simulated.event("final_result")["data"]["metadata"];
    assert_eq!(result["unpriced"], true);
    assert_eq!(result["unpriced_models"], unpriced);
    // A model with a price says nothing of the sort.
    let priced = simulated.ask(&[]).stderr;
    assert!(!priced.contains("price") && priced.contains("| $0.0"), "{priced}");
}

#[test]
fn a_cost_that_is_only_partly_known_is_at_least_that() {
    let known = Charge {
        tokens: 7_674,
        micro_usd: 3_652,
        turns: 1,
        ..Charge::ZERO
    };
    let unpriced = json!({ "tokens": 350_102, "turns": 1, "unpriced_models": [{ "model": UNPRICED, "tokens": 350_102 }] });
    let shown = shown(vec![
        ended("one", "step_completed", json!(known)),
        ended("two", "step_completed", unpriced),
    ]);
    let words = "at least $0.003652, 350,102 tokens of gemini-3.5-flash have no known price";
    assert!(shown.contains(words), "{shown}");
}

#[test]
fn the_worst_case_of_a_call_that_was_cut_off_is_an_upper_bound() {
    let reserved = Charge {
        tokens: 12_400,
        micro_usd: 9_300,
        turns: 1,
        ..Charge::ZERO
    };
    let shown = shown(vec![ended("one", "step_lost", json!(reserved.as_upper_bound()))]);
    assert!(
        shown.contains("up to 12,400 tokens") && shown.contains("up to $0.0093"),
        "{shown}"
    );
}

#[test]
fn a_budget_in_dollars_for_a_model_without_a_price_is_refused_with_the_ways_on() {
    let world = World::new();
    let called = world.call(&["run", "--task", "Add a flag", "--dir", "docs", "--budget", "$5"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    for part in ["gemini-3.1-pro-preview", "such as 50k", "gemini-3.8-flash"] {
        assert!(called.stderr.contains(part), "{}", called.stderr);
    }
    // An agent that chooses its model itself has no known price, whoever asks.
    for arguments in [
        &[
            "run",
            "--agent",
            "claude",
            "--task",
            "Add a flag",
            "--dir",
            "docs",
        ][..],
        &["ask", "--agent", "claude", "--cd", "docs", "Add a flag"],
    ] {
        let called = world.call(&[arguments, &["--budget", "$5"]].concat());
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert!(
            called.stderr.contains("chooses its model itself"),
            "{}",
            called.stderr
        );
    }
    let help = world.must(&["run", "--help"]).stdout;
    assert!(help.contains("if the price is known"), "{help}");
}

fn ended(step: &str, kind: &str, charge: Value) -> Vec<NewEvent> {
    let key = StepKey::new(step);
    let started = json!({ "step": step, "kind": "llm", "attempt": 1, "input": {}, "reserved": charge, "purpose": "ordinary" });
    let data = json!({ "step": step, "attempt": 1, "output": {}, "charge": charge });
    let event = |kind: &str, data: Value| NewEvent::of_step(update(kind, data), &key, None);
    vec![event("step_started", started), event(kind, data)]
}

fn update(event_type: &str, data: Value) -> AgentUpdate {
    AgentUpdate {
        event_type: event_type.to_owned(),
        message: event_type.to_owned(),
        timestamp: Timestamp::now(),
        data: Json::from(data),
    }
}

/// What `show` says about a run with these steps.
fn shown(steps: Vec<Vec<NewEvent>>) -> String {
    let world = World::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&world.path("home")).await.unwrap();
        let started =
            json!({ "flow": "prompt", "flow_version": 1, "program": "test", "title": "a run", "plan": {} });
        let mut events = vec![NewEvent::of_run(update("run_started", started))];
        events.extend(steps.into_iter().flatten());
        let new = NewStream {
            stream: StreamId::new("aaaa0000aaaa0000").unwrap(),
            kind: StreamKind::Run,
            parent_run: None,
            events,
            lease: None,
            board: Vec::new(),
        };
        store.create(new).await.unwrap();
        store.close().await;
    });
    let shown = world.must(&["show", "last"]).stdout;
    // Long lines are wrapped.
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}
