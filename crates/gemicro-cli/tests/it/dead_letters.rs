//! The list of steps that failed for good; its runs are written to the store by hand.

use gemicro_core::store::{NewEvent, NewStream, Store, StreamKind};
use gemicro_event::{AgentUpdate, ErrorKind, Failure, Json, StepKey, StreamId, Timestamp};
use gemicro_store::SqliteStore;
use serde_json::{Value, json};

use crate::golden;
use crate::program::{Called, World};

const HALF_HOUR: i64 = 30 * 60;

/// A run to write: its id, its parent if it does again what failed there, and its dead letters.
struct Run {
    id: &'static str,
    resubmits: Option<&'static str>,
    events: Vec<NewEvent>,
}

/// A world with one letter that was done again and three that wait.
fn world() -> World {
    let long =
        "the provider answered 503 four times, last with: overloaded, please try again in a few minutes";
    let world = World::new();
    write(
        &world,
        vec![
            Run {
                id: "aaaa0000aaaa0000",
                resubmits: None,
                events: vec![
                    failed("sub_query/1", 4, ErrorKind::UpstreamError, long, 9 * HALF_HOUR),
                    failed(
                        "sub_query/2",
                        0,
                        ErrorKind::BudgetExceeded,
                        "no money",
                        9 * HALF_HOUR,
                    ),
                ],
            },
            Run {
                id: "bbbb0000bbbb0000",
                resubmits: Some("aaaa0000aaaa0000"),
                events: vec![
                    failed(
                        "sub_query/1",
                        1,
                        ErrorKind::MalformedOutput,
                        "no JSON\nin the \x1b[2Janswer",
                        5 * HALF_HOUR,
                    ),
                    failed(
                        "a/step/with/quite/a/long/name/1",
                        12,
                        ErrorKind::Timeout,
                        "silent for 60 s",
                        HALF_HOUR + 600,
                    ),
                ],
            },
            Run {
                id: "cccc0000cccc0000",
                resubmits: None,
                events: vec![failed(
                    "synthesis",
                    1,
                    ErrorKind::AuthFailed,
                    "the key was refused",
                    5 * 48 * HALF_HOUR + HALF_HOUR,
                )],
            },
        ],
    );
    world
}

fn failed(step: &str, attempt: u32, kind: ErrorKind, message: &str, seconds_ago: i64) -> NewEvent {
    let data = json!({ "step": step, "attempt": attempt, "error": Failure::new(kind, message) });
    let at = Timestamp::from_millis(Timestamp::now().as_millis() - seconds_ago * 1000);
    NewEvent::of_step(update("step_failed", at, data), &StepKey::new(step), None)
}

fn update(event_type: &str, timestamp: Timestamp, data: Value) -> AgentUpdate {
    AgentUpdate {
        event_type: event_type.to_owned(),
        message: event_type.to_owned(),
        timestamp,
        data: Json::from(data),
    }
}

fn write(world: &World, runs: Vec<Run>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&world.path("home")).await.unwrap();
        for run in runs {
            let data = json!({ "flow": "research", "flow_version": 1, "program": "test", "title": run.id, "plan": {},
                "resubmits": run.resubmits.is_some() });
            let mut events = vec![NewEvent::of_run(update("run_started", Timestamp::now(), data))];
            events.extend(run.events);
            let new = NewStream {
                stream: StreamId::new(run.id).unwrap(),
                kind: StreamKind::Run,
                parent_run: run.resubmits.map(|parent| StreamId::new(parent).unwrap()),
                events,
                lease: None,
                board: Vec::new(),
            };
            store.create(new).await.unwrap();
        }
        store.close().await;
    });
}

fn narrow(world: &World, columns: &str, arguments: &[&str]) -> Called {
    let called = world.finish(world.command(arguments).env("COLUMNS", columns).output().unwrap());
    let limit: usize = columns.parse().unwrap();
    assert!(
        called.stdout.lines().all(|line| line.chars().count() <= limit),
        "{}",
        called.stdout
    );
    called
}

#[test]
fn dead_letters_are_a_table_that_fits() {
    let world = world();
    golden!(
        "dead_letters",
        world.screen(&narrow(&world, "90", &["dead-letters"]))
    );
    golden!(
        "dead_letters_all",
        world.screen(&narrow(&world, "100", &["dead-letters", "--all"]))
    );
    golden!(
        "dead_letters_narrow",
        world.screen(&narrow(&world, "60", &["dead-letters"]))
    );
    golden!(
        "dead_letters_very_narrow",
        world.screen(&narrow(&world, "40", &["dead-letters", "--all"]))
    );
}

#[test]
fn dead_letters_of_one_run() {
    let world = world();
    golden!(
        "dead_letters_of_one_run",
        world.screen(&world.must(&["dead-letters", "cccc"]))
    );
    // All of its letters were done again.
    golden!(
        "dead_letters_done_again",
        world.screen(&world.must(&["dead-letters", "aaaa"]))
    );
    let again = world.must(&["dead-letters", "aaaa", "--all"]);
    assert!(again.stdout.contains("bbbb0000"), "{}", again.stdout);
    assert_eq!(again.stderr, "", "there is nothing left to retry");
    assert_eq!(world.call(&["dead-letters", "zzzzzzzz"]).code, 2);
    let last = world.must(&["dead-letters", "last", "--format", "jsonl"]);
    assert_eq!(last.stdout.lines().count(), 1);
}

#[test]
fn dead_letters_for_programs() {
    let world = world();
    golden!(
        "dead_letters_jsonl",
        world.screen(&world.must(&["dead-letters", "--all", "--format", "jsonl"]))
    );
    let array: Value = serde_json::from_str(
        &world
            .must(&["dead-letters", "--limit", "2", "--format", "json"])
            .stdout,
    )
    .unwrap();
    assert_eq!(array.as_array().unwrap().len(), 2);
    assert_eq!(array[0]["error_kind"], "timeout");
    assert_eq!(array[0]["resubmitted_as"], Value::Null);
    let unknown = world.call(&["dead-letters", "zzzzzzzz", "--format", "json"]);
    let object: Value = serde_json::from_str(&unknown.stdout).unwrap();
    assert_eq!(
        (unknown.code, object["error_kind"].as_str()),
        (2, Some("not_found"))
    );
}

#[test]
fn no_dead_letters_is_no_error() {
    let world = World::new();
    golden!(
        "no_dead_letters",
        world.screen(&world.must(&["dead-letters", "--all"]))
    );
    world.ask("What is the salary of the harbour master of Kittelsund?", &[]);
    let called = world.must(&["dead-letters"]);
    assert_eq!(called.stdout, "", "a run without evidence leaves no dead letter");
    assert!(called.stderr.starts_with("No dead letters."), "{}", called.stderr);
    let json = world.must(&["dead-letters", "--format", "json"]);
    assert_eq!((json.stdout.as_str(), json.stderr.as_str()), ("[]\n", ""));
}

#[test]
fn dead_letters_are_rebuilt_and_pruned_with_their_run() {
    let world = world();
    let list = |world: &World| world.must(&["dead-letters", "--all", "--format", "json"]).stdout;
    let before = list(&world);
    world.must(&["store", "rebuild"]);
    assert_eq!(list(&world), before);
    world.must(&["prune", "--run", "bbbb0000", "--yes"]);
    let after: Value = serde_json::from_str(&list(&world)).unwrap();
    let runs: Vec<&str> = (after.as_array().unwrap().iter())
        .filter_map(|letter| letter["run"].as_str())
        .collect();
    assert_eq!(runs, ["aaaa0000aaaa0000", "cccc0000cccc0000"]);
    assert_eq!(after[0]["resubmitted_as"], "bbbb0000bbbb0000");
}

#[test]
fn a_wrong_request_is_no_dead_letter() {
    let world = World::new();
    let events = [
        ErrorKind::InvalidInput,
        ErrorKind::NotFound,
        ErrorKind::UnknownModel,
        ErrorKind::UpstreamError,
    ];
    let events = events
        .iter()
        .map(|kind| failed(kind.as_str(), 1, *kind, "no", HALF_HOUR));
    // The no of a person is a decision; that of reviewers is a failed step.
    let refused = |step: &str, error: Failure| {
        let data = json!({ "step": step, "attempt": 1, "error": error });
        NewEvent::of_step(
            update("step_failed", Timestamp::now(), data),
            &StepKey::new(step),
            None,
        )
    };
    let no = Failure::new(ErrorKind::GateClosed, "no");
    let refused = [
        refused("person", no.clone().decided_by_person()),
        refused("reviewer", no),
    ];
    write(
        &world,
        vec![Run {
            id: "aaaa0000aaaa0000",
            resubmits: None,
            events: events.chain(refused).collect(),
        }],
    );
    let rows: Value =
        serde_json::from_str(&world.must(&["dead-letters", "--format", "json"]).stdout).unwrap();
    let steps: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["step"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["reviewer", "upstream_error"]);
}
