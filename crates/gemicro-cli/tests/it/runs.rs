//! Looking at runs afterwards, and deleting them.

use std::fs;

use serde_json::Value;

use crate::golden;
use crate::program::{Called, World};

const TWO: &str = "How high is the Port Amsel lighthouse, and what is the salary of its harbour master?";

#[test]
fn show_is_one_screen() {
    let world = World::new();
    world.ask(TWO, &["--budget", "50k", "--budget", "10m"]);
    let called = world.must(&["show", "last"]);
    golden!("show_completed", world.screen(&called));
    assert!(called.stdout.lines().count() <= 40, "{}", called.stdout);
}

#[test]
fn show_reports_why_a_run_failed() {
    let world = World::new();
    world.ask("What is the salary of the harbour master of Kittelsund?", &[]);
    golden!("show_failed", world.screen(&world.must(&["show", "last"])));
    let markdown = world.call(&["show", "last", "--format", "markdown"]);
    assert_eq!(markdown.code, 6);
}

#[test]
fn show_has_the_answer_and_everything_for_programs() {
    let world = World::new();
    let answered = world.ask(TWO, &["--format", "markdown"]);
    assert_eq!(
        world.must(&["show", "last", "--format", "markdown"]).stdout,
        answered.stdout
    );
    let story: Value =
        serde_json::from_str(&world.must(&["show", "last", "--format", "json"]).stdout).unwrap();
    assert_eq!(story["status"], "completed");
    assert_eq!(story["sub_queries"].as_array().unwrap().len(), 2);
}

#[test]
fn raw_shows_what_every_step_got_and_gave() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let raw = world.must(&["show", "last", "--raw"]).stdout;
    for part in [
        "sources · attempt 1 · input",
        "sub-query 1 · attempt 1 · output",
        "31 metres",
    ] {
        assert!(raw.contains(part), "{part}\n{raw}");
    }
}

#[test]
fn runs_are_a_table_that_fits() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    world.ask("What is the salary of the harbour master of Kittelsund, who is paid by the town and not by the state?", &[]);
    let called = world.must(&["runs"]);
    let without_ids = called
        .stdout
        .lines()
        .map(|line| format!("{}\n", &line[10..]))
        .collect();
    golden!(
        "runs",
        world.screen(&Called {
            code: 0,
            stdout: without_ids,
            stderr: called.stderr
        })
    );
    assert!(
        called.stdout.lines().all(|line| line.chars().count() <= 90),
        "{}",
        called.stdout
    );
    let failed = world.must(&["runs", "--status", "failed", "--format", "jsonl"]);
    assert_eq!(failed.stdout.lines().count(), 1);
    assert_eq!(
        world
            .must(&["runs", "--limit", "1", "--format", "jsonl"])
            .stdout
            .lines()
            .count(),
        1
    );
    let narrow = world.finish(world.command(&["runs"]).env("COLUMNS", "40").output().unwrap());
    assert!(
        narrow.stdout.lines().all(|line| line.chars().count() <= 40),
        "{}",
        narrow.stdout
    );
}

#[test]
fn no_runs_is_no_error() {
    let world = World::new();
    let called = world.must(&["runs"]);
    assert_eq!(called.stdout, "");
    assert!(called.stderr.starts_with("No runs."), "{}", called.stderr);
}

#[test]
fn events_continue_after_a_number() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let all = world.must(&["events", "last"]).stdout;
    let tail = world.must(&["events", "last", "--after", "3", "--follow"]).stdout;
    assert_eq!(
        all.lines().skip(3).collect::<Vec<_>>(),
        tail.lines().collect::<Vec<_>>()
    );
    let array: Value =
        serde_json::from_str(&world.must(&["events", "last", "--format", "json"]).stdout).unwrap();
    assert_eq!(array.as_array().unwrap().len(), all.lines().count());
    golden!(
        "events_text",
        world.screen(&world.must(&["events", "last", "--format", "text"]))
    );
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let id = world.last_run();
    assert_eq!(
        world.must(&["show", &id[..6]]).stdout,
        world.must(&["show", "last"]).stdout
    );
    let unknown = world.call(&["show", "zzzzzzzz"]);
    golden!("unknown_run", world.screen(&unknown));
    assert_eq!(world.call(&["show", "../../etc"]).code, 2);
    assert_eq!(world.call(&["resume", "zzzzzzzz"]).code, 2);
    assert_eq!(world.call(&["cancel", "zzzzzzzz"]).code, 2);
}

#[test]
fn an_ended_run_is_not_resumed_or_cancelled_again() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let before = world.must(&["events", "last"]).stdout;
    golden!("resume_ended", world.screen(&world.must(&["resume", "last"])));
    let cancelled = world.must(&["cancel", "last"]);
    assert!(
        cancelled.stderr.contains("has already ended"),
        "{}",
        cancelled.stderr
    );
    assert_eq!(world.must(&["events", "last"]).stdout, before);
}

#[test]
fn prune_deletes_and_leaves_a_tombstone() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let id = world.last_run();
    let unasked = world.call(&["prune", "--run", &id]);
    assert_eq!(unasked.code, 2, "{}", unasked.stderr);
    golden!(
        "prune_dry_run",
        world.screen(&world.must(&["prune", "--run", "last", "--dry-run"]))
    );
    let young = world.must(&["prune", "--older-than", "30d", "--yes", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&young.stdout).unwrap()["runs"],
        Value::Array(Vec::new())
    );
    let report = world.must(&["prune", "--older-than", "0s", "--yes", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&report.stdout).unwrap()["runs"][0],
        id.as_str()
    );
    golden!("show_erased", world.screen(&world.call(&["show", &id])));
    // Nothing of the documents is left anywhere in the state folder.
    assert_eq!(
        files_with(&world.path("home"), b"31 metres"),
        Vec::<String>::new()
    );
}

#[test]
fn prune_needs_a_selection() {
    let world = World::new();
    assert_eq!(world.call(&["prune"]).code, 2);
    assert_eq!(world.call(&["prune", "--older-than", "soon"]).code, 2);
}

#[test]
fn lists_are_rebuilt_from_events() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let before = world.must(&["runs", "--format", "json"]).stdout;
    world.must(&["store", "rebuild"]);
    assert_eq!(world.must(&["runs", "--format", "json"]).stdout, before);
}

fn files_with(folder: &std::path::Path, needle: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, needle));
        } else if fs::read(&path)
            .unwrap()
            .windows(needle.len())
            .any(|window| window == needle)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn failures_are_json_where_json_was_asked_for() {
    let world = World::new();
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    for arguments in [
        ["show", "zzzzzzzz", "--format", "json"],
        ["resume", "zzzzzzzz", "--format", "json"],
        ["research", "--offline", "--format", "json"],
    ] {
        let called = world.call(&arguments);
        let object: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
        assert_eq!(called.code, 2, "{arguments:?}");
        assert!(object["error_kind"].is_string(), "{arguments:?}: {object}");
    }
}

#[test]
fn resuming_an_ended_run_gives_its_result_again() {
    let world = World::new();
    for (question, code) in [
        ("How high is the Port Amsel lighthouse?", 0),
        ("How high is the Grauwacke lighthouse?", 6),
    ] {
        let asked = world.ask(question, &["--format", "json"]);
        let again = world.call(&["resume", "last", "--format", "json"]);
        assert_eq!((asked.code, again.code), (code, code), "{question}");
        assert_eq!(again.stdout, asked.stdout, "{question}");
    }
}
