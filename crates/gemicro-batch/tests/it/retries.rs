//! Doing again what failed, in the same run and in a new one.

use gemicro_batch::contract::ItemState;
use gemicro_batch::flow::{BatchItemCompleted, BatchItemsRetried, retry_plan};
use gemicro_core::budget::Limits;
use gemicro_event::{ErrorKind, Json};
use serde_json::json;

use crate::support::{Journal, prompt, said};

fn retried(task_ids: &[&str]) -> BatchItemsRetried {
    BatchItemsRetried {
        task_ids: task_ids.iter().map(|id| (*id).to_owned()).collect(),
    }
}

#[test]
fn a_retried_task_has_a_new_step_and_the_completed_ones_stay() {
    let mut journal = Journal::new(&json!([
        prompt("a", &[]),
        { "task_id": "b", "type": "prompt", "parameters": { "prompt": "${a.output.text}" } },
        prompt("c", &["b"]),
        prompt("open", &[]),
    ]));
    journal.do_it("a", said("x"));
    let b = journal.start("b");
    journal.fail(&b, ErrorKind::Blocked);
    assert_eq!(journal.state.state_of("c"), Some(ItemState::Skipped));
    journal.say(&retried(&["b", "c", "a", "unknown"]));
    assert_eq!(journal.wanted(), ["b#1", "open"]);
    assert_eq!(journal.step("b#1").input["prompt"], "x");
    // What is still said about the first epoch is passed over.
    journal.complete(&b, said("late"));
    journal.say(&BatchItemCompleted {
        task_id: "b".to_owned(),
        epoch: 0,
        output: Json::empty(),
    });
    assert_eq!(journal.state.state_of("b"), Some(ItemState::Queued));
    journal.do_it("b#1", said("y"));
    assert_eq!(journal.wanted(), ["c#1", "open"]);
    let b = journal.start("c#1");
    journal.fail(&b, ErrorKind::Blocked);
    journal.say(&retried(&["c"]));
    assert_eq!(journal.wanted(), ["c#2", "open"]);
    let counts = journal.state.counts();
    assert_eq!((counts.completed, counts.queued, counts.failed), (2, 2, 0));
}

#[test]
fn a_task_whose_dependency_is_not_retried_fails_again() {
    let mut journal = Journal::new(&json!([
        prompt("a", &[]),
        prompt("b", &["a"]),
        prompt("open", &[])
    ]));
    let a = journal.start("a");
    journal.fail(&a, ErrorKind::Blocked);
    journal.say(&retried(&["b"]));
    assert_eq!(journal.state.state_of("b"), Some(ItemState::Skipped));
    assert_eq!(journal.wanted(), ["open"]);
}

#[test]
fn a_deadline_that_has_passed_does_not_hold_for_a_retry() {
    let mut task = prompt("a", &[]);
    task["deadline_seconds"] = json!(1);
    let mut journal = Journal::new(&json!([task, prompt("open", &[])]));
    journal.fired("deadline/1");
    assert_eq!(journal.state.state_of("a"), Some(ItemState::Expired));
    journal.say(&retried(&["a"]));
    assert_eq!(journal.wanted(), ["a#1", "open"]);
    assert_eq!(journal.decide().waits, []);
}

#[test]
fn a_stopped_batch_resumes_a_retry() {
    let tasks = json!([prompt("a", &[]), prompt("b", &[]), prompt("c", &[])]);
    let mut journal = Journal::new(&json!({ "tasks": tasks, "on_failure": "stop" }));
    let (a, c) = (journal.start("a"), journal.start("c"));
    journal.fail(&a, ErrorKind::Blocked);
    journal.say(&retried(&["a", "b"]));
    assert_eq!(journal.wanted(), ["a#1", "b#1"]);
    journal.fail(&c, ErrorKind::Blocked);
    assert_eq!(journal.wanted(), [""; 0], "and stops at the next failure");
}

#[test]
fn an_ended_batch_is_retried_in_a_new_run() {
    let mut journal = Journal::new(&json!({ "key": "k", "tasks": [
        prompt("a", &[]),
        { "task_id": "b", "type": "prompt", "parameters": { "prompt": "${a.output.text}!" } },
        { "task_id": "x", "type": "pipeline", "parameters": {} },
    ] }));
    journal.do_it("a", said("kept"));
    let b = journal.start("b");
    journal.fail(&b, ErrorKind::UpstreamError);
    let plan = retry_plan(&journal.events, &[]).unwrap();
    assert_eq!(plan.key, None);
    let again = Journal::of_plan(&plan, Limits::NONE);
    let states: Vec<ItemState> = again.states().into_iter().map(|(_, state)| state).collect();
    assert_eq!(
        states,
        [ItemState::Completed, ItemState::Queued, ItemState::Rejected]
    );
    assert_eq!(again.wanted(), ["b"]);
    assert_eq!(again.step("b").input["prompt"], "kept!");
}

#[test]
fn there_must_be_something_to_retry() {
    let mut journal = Journal::new(&json!([prompt("a", &[])]));
    journal.do_it("a", said("x"));
    let failure = retry_plan(&journal.events, &[]).unwrap_err();
    assert_eq!(failure.kind, ErrorKind::InvalidInput);
    assert!(retry_plan(&[], &[]).is_err());
}
