//! A store written by the program of November 2026, with every flow in it: it is shown as that program showed it,
//! and what it left unfinished is resumed or retried.
//!
//! `old_store/make.sh` wrote it; `shown.json` is what `gemicro show --format json` printed for each run at that time.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::simulated::{Simulated, research};

/// A research run that was killed while its first call waited.
const KILLED: &str = "grcv893j7v6qjs6r";
/// A research run whose model refused every call.
const REFUSED: &str = "ja5gz1ymrnf7ymks";
/// A batch of two prompts, killed with its worker after one of them.
const OPEN_BATCH: &str = "q6q39f1db1r048b0";
/// A pipeline that delivered its branch.
const DELIVERED: &str = "q620ztgx57z09dk4";

fn with_old_store(rules: &str) -> Simulated {
    let simulated = Simulated::new(rules);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/old_store/store");
    copy(&from, &simulated.world.path("home"));
    simulated
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn shown(simulated: &Simulated, run: &str) -> Value {
    let called = simulated.call(&["show", run, "--format", "json"]);
    assert_eq!(called.code, 0, "{run}: {}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

#[test]
fn every_run_is_shown_as_before() {
    let simulated = with_old_store(&research(2));
    let checked = simulated.call(&["store", "check"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    let before: Map<String, Value> = serde_json::from_str(include_str!("old_store/shown.json")).unwrap();
    assert_eq!(before.len(), 18);
    for (run, before) in &before {
        let mut now = shown(&simulated, run);
        let mut before = before.clone();
        for story in [&mut now, &mut before] {
            // It grows with the age of the batch.
            if let Some(batch) = story.get_mut("batch").and_then(Value::as_object_mut) {
                batch.remove("next_poll_interval_seconds");
            }
        }
        assert_eq!(now, before, "run {run}");
    }
}

#[test]
fn a_killed_run_is_resumed() {
    let simulated = with_old_store(&research(2));
    let called = simulated.call(&["resume", KILLED]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert_eq!(shown(&simulated, KILLED)["status"], "completed");
}

#[test]
fn a_failed_run_is_retried() {
    let simulated = with_old_store(&research(2));
    let called = simulated.call(&["retry", REFUSED]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert_eq!(shown(&simulated, "last")["status"], "completed");
}

#[test]
fn an_open_batch_is_finished() {
    let simulated = with_old_store("  - { name: answers, reply: { text: hello } }\n");
    let called = simulated.call(&["resume", OPEN_BATCH]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let polled = simulated.call(&["batch", "poll", OPEN_BATCH]);
    let polled: Value = serde_json::from_str(&polled.stdout).unwrap();
    assert_eq!(polled["status"], "completed", "{polled:#}");
    assert_eq!(polled["results"][0]["output"]["text"], "hello");
    // This task had completed before.
    assert_eq!(
        polled["results"][1]["output"]["text"],
        "Simulated answer to: Say it."
    );
}

#[test]
fn the_text_of_a_delivered_request_is_still_there() {
    let simulated = with_old_store(&research(1));
    let called = simulated.call(&["show", DELIVERED, "--format", "markdown"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("rounding"), "{}", called.stdout);
}
