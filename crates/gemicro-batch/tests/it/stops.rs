//! Failures that stop others, deadlines, and what is cancelled.

use std::time::Duration;

use gemicro_batch::contract::ItemState;
use gemicro_batch::flow::BatchItemsCancelled;
use gemicro_core::command::AgentCommand;
use gemicro_core::flow::RunWait;
use gemicro_core::run::events::{RunCancelled, RunInterrupted};
use gemicro_event::{Charge, CommandId, ErrorKind, Json, StepKey};
use serde_json::{Value, json};

use crate::support::{Journal, prompt, said};

fn state(journal: &Journal, task_id: &str) -> ItemState {
    journal.state.state_of(task_id).unwrap()
}

#[test]
fn a_failure_stops_what_has_not_begun() {
    let tasks = json!([
        prompt("a", &[]),
        prompt("b", &[]),
        prompt("c", &[]),
        prompt("d", &["c"])
    ]);
    let mut journal = Journal::new(&json!({ "tasks": tasks, "on_failure": "stop" }));
    let (a, b) = (journal.start("a"), journal.start("b"));
    journal.retrying(&b);
    journal.fail(&a, ErrorKind::Blocked);
    assert_eq!(journal.wanted(), ["b"], "what has begun goes on");
    assert_eq!(
        (state(&journal, "c"), state(&journal, "d")),
        (ItemState::Cancelled, ItemState::Cancelled)
    );
    let message = "not started: task `a` failed, and this batch stops at a failure";
    assert_eq!(journal.error_of("c"), (ErrorKind::Cancelled, message.to_owned()));
    journal.do_it("b", said("x"));
    assert!(journal.decide().finish.is_some());
}

#[test]
fn a_rejected_task_stops_the_batch_and_stays_rejected() {
    let odd = |id: &str| json!({ "task_id": id, "type": "pipeline", "parameters": {} });
    let tasks = json!([prompt("a", &[]), odd("x"), odd("y")]);
    let journal = Journal::new(&json!({ "tasks": tasks, "on_failure": "stop" }));
    let states: Vec<ItemState> = journal.states().into_iter().map(|(_, state)| state).collect();
    assert_eq!(
        states,
        [ItemState::Cancelled, ItemState::Rejected, ItemState::Rejected]
    );
    assert!(journal.decide().finish.is_some());
}

#[test]
fn what_is_cancelled_is_no_failure_of_the_batch() {
    let tasks = json!([prompt("a", &[]), prompt("b", &[])]);
    let mut journal = Journal::new(&json!({ "tasks": tasks, "on_failure": "stop" }));
    journal.say(&BatchItemsCancelled {
        task_ids: vec!["a".to_owned()],
        reason: String::new(),
    });
    assert_eq!(journal.wanted(), ["b"]);
}

#[test]
fn a_deadline_is_waited_for_and_ends_its_tasks() {
    let mut tasks = [
        prompt("a", &[]),
        prompt("b", &[]),
        prompt("c", &[]),
        prompt("d", &["b"]),
    ];
    tasks[0]["deadline_seconds"] = json!(10);
    tasks[1]["deadline_seconds"] = json!(90);
    let mut journal = Journal::new(&json!({ "tasks": tasks, "deadline_seconds": 60 }));
    let wait = |journal: &Journal| journal.decide().waits;
    let at = |seconds: u64| RunWait::Until {
        key: format!("deadline/{seconds}"),
        at: journal.now.plus(Duration::from_secs(seconds)),
    };
    let (first, second) = (at(10), at(60));
    assert_eq!(wait(&journal), [first], "the next one alone");
    let b = journal.start("b");
    journal.fired("deadline/10");
    assert_eq!(state(&journal, "a"), ItemState::Expired);
    assert_eq!(
        journal.error_of("a"),
        (ErrorKind::Timeout, "its deadline of 10 s passed".to_owned())
    );
    assert_eq!(wait(&journal), [second], "that of the batch comes before its own");
    journal.fired("deadline/60");
    assert_eq!(state(&journal, "c"), ItemState::Expired);
    // A running one ends with its step.
    assert_eq!(state(&journal, "b"), ItemState::Running);
    assert_eq!(journal.decide().cancel, [StepKey::new("b")]);
    journal.fail(&b, ErrorKind::Cancelled);
    assert_eq!(
        (state(&journal, "b"), state(&journal, "d")),
        (ItemState::Expired, ItemState::Expired)
    );
    assert!(journal.decide().finish.is_some());
}

#[test]
fn a_result_in_the_last_moment_counts() {
    let mut task = prompt("a", &[]);
    task["deadline_seconds"] = json!(1);
    let mut journal = Journal::new(&json!([task]));
    let a = journal.start("a");
    journal.fired("deadline/1");
    journal.complete(&a, said("just in time"));
    assert_eq!(state(&journal, "a"), ItemState::Completed);
    assert_eq!(journal.decide().cancel, []);
}

#[test]
fn one_that_waits_to_be_tried_again_expires_at_once() {
    let mut task = prompt("a", &[]);
    task["deadline_seconds"] = json!(1);
    let mut journal = Journal::new(&json!([task, prompt("b", &[])]));
    let a = journal.start("a");
    journal.retrying(&a);
    journal.fired("deadline/1");
    assert_eq!(
        (state(&journal, "a"), journal.wanted()),
        (ItemState::Expired, vec!["b".to_owned()])
    );
}

#[test]
fn one_that_is_cut_off_while_it_is_stopped_does_not_start_again() {
    let mut task = prompt("a", &[]);
    task["deadline_seconds"] = json!(1);
    let mut journal = Journal::new(&json!([task, prompt("b", &[])]));
    let a = journal.start("a");
    journal.fired("deadline/1");
    journal.lost(&a);
    assert_eq!(
        (state(&journal, "a"), journal.wanted()),
        (ItemState::Expired, vec!["b".to_owned()])
    );
    assert_eq!(journal.decide().cancel, []);
}

fn command(command_type: &str, data: Value) -> AgentCommand {
    AgentCommand {
        command_type: command_type.to_owned(),
        command_id: CommandId::random(),
        data: Json::from(data),
    }
}

#[test]
fn tasks_are_cancelled_by_a_command() {
    let mut journal = Journal::new(&json!([prompt("a", &[]), prompt("b", &[]), prompt("c", &["a"])]));
    let a = journal.start("a");
    let asked = command(
        "cancel_items",
        json!({ "task_ids": ["b", "a"], "reason": "not needed" }),
    );
    for update in journal.state.handle_command(&asked, journal.now).unwrap() {
        journal.push(update, None);
    }
    assert_eq!(state(&journal, "b"), ItemState::Cancelled);
    assert_eq!(
        journal.error_of("b"),
        (ErrorKind::Cancelled, "cancelled: not needed".to_owned())
    );
    assert_eq!(journal.decide().cancel, [StepKey::new("a")]);
    journal.fail(&a, ErrorKind::Cancelled);
    assert_eq!(
        (state(&journal, "a"), state(&journal, "c")),
        (ItemState::Cancelled, ItemState::Cancelled)
    );
    assert_eq!(journal.error_of("a").1, "cancelled: not needed");
}

#[test]
fn commands_that_make_no_sense_are_refused_with_a_reason() {
    let journal = Journal::new(&json!([prompt("a", &[])]));
    for (command_type, data, expected) in [
        (
            "cancel_items",
            json!({ "task_ids": ["z"] }),
            "there is no task `z` in this batch",
        ),
        (
            "cancel_items",
            json!({}),
            "no task is named; cancel the batch to stop all",
        ),
        (
            "cancel_items",
            json!({ "task_ids": 1 }),
            "invalid type: integer `1`",
        ),
        (
            "retry_items",
            json!({}),
            "none of these tasks is in a state that allows it",
        ),
        ("dance", json!({}), "a batch does not know the command dance"),
    ] {
        let refused = journal
            .state
            .handle_command(&command(command_type, data), journal.now)
            .unwrap_err();
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn the_end_of_the_run_is_the_end_of_every_task() {
    let batch = json!([prompt("a", &[]), prompt("b", &[]), prompt("c", &["b"])]);
    let mut journal = Journal::new(&batch);
    journal.do_it("a", said("x"));
    journal.start("b");
    journal.say(&RunCancelled {
        reason: String::new(),
        spent: Charge::ZERO,
    });
    use ItemState::{Cancelled, Completed, Failed};
    let states = |journal: &Journal| {
        journal
            .states()
            .into_iter()
            .map(|(_, state)| state)
            .collect::<Vec<_>>()
    };
    assert_eq!(states(&journal), [Completed, Cancelled, Cancelled]);
    assert_eq!(journal.error_of("c").1, "the batch was cancelled");
    let mut journal = Journal::new(&batch);
    journal.say(&RunInterrupted {
        reason: "too new".to_owned(),
    });
    assert_eq!(states(&journal), [Failed, Failed, Failed]);
    assert_eq!(
        journal.error_of("a"),
        (ErrorKind::Interrupted, "too new".to_owned())
    );
}
