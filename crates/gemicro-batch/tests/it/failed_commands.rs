//! Shell commands that ran and failed, or were cut off: what is shown of them, and what follows for the others.

use gemicro_batch::contract::{BatchStatus, ItemState, read_batch};
use gemicro_batch::flow::{BatchFlow, BatchItemFailed, BatchReaders, RETRY_ITEMS, board, retry_plan};
use gemicro_batch::types::ExpectedExit;
use gemicro_core::budget::Limits;
use gemicro_core::command::AgentCommand;
use gemicro_core::flow::{Flow, StepEnd};
use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::{Value, json};

use crate::support::{Journal, planned, prompt, said};

fn shell(task_id: &str, command: &str) -> Value {
    json!({ "task_id": task_id, "type": "execute_shell_command", "parameters": { "command": command } })
}

fn printed() -> Value {
    json!({ "stdout": "out\n", "stderr": "", "exit_code": 1, "tier": "full" })
}

fn command_failed() -> StepEnd {
    StepEnd::Failed(Failure {
        detail: Some(Json::from(printed())),
        ..Failure::new(
            ErrorKind::CommandFailed,
            "the command ended with exit code 1: out",
        )
    })
}

/// A command, one that follows it, one that refers to it, one after those, and one that has nothing to do with it.
fn with_dependants() -> Journal {
    let mut named = shell("named", "true");
    named["depends_on"] = json!(["first"]);
    Journal::new(&json!([
        shell("first", "false"),
        named,
        shell("refers", "echo ${first.output.exit_code}"),
        prompt("last", &["refers"]),
        prompt("other", &[]),
    ]))
}

#[test]
fn a_failed_command_shows_what_it_printed_and_nothing_runs_after_it() {
    let mut journal = with_dependants();
    let first = journal.start("first");
    journal.end(&first, &command_failed());
    assert_eq!(journal.wanted(), ["other"]);
    journal.do_it("other", said("x"));
    assert!(journal.decide().finish.is_some());

    let lines = BatchFlow.board(&mut journal.state);
    let whole = board(&journal.events).unwrap().answer("r", journal.now);
    let shown: Vec<Json> = lines.into_iter().map(|line| line.shown).collect();
    let items: Vec<Json> = whole.results.iter().map(|item| Json::of(item).unwrap()).collect();
    assert_eq!(shown, items, "the board and the fold agree");

    let first = &whole.results[0];
    assert_eq!(
        (first.status, first.state),
        (BatchStatus::Failed, ItemState::Failed)
    );
    assert_eq!(*first.output, printed());
    assert_eq!(first.error_kind, Some(ErrorKind::CommandFailed));
    assert_eq!(
        first.error.as_deref(),
        Some("the command ended with exit code 1: out")
    );
    for (item, needed, what) in [
        (&whole.results[1], "first", "failed"),
        (&whole.results[2], "first", "failed"),
        (&whole.results[3], "refers", "was not run either"),
    ] {
        let message = format!("not run: task `{needed}`, which it depends on, {what}");
        assert_eq!(
            (item.state, item.error.as_deref()),
            (ItemState::Skipped, Some(message.as_str()))
        );
        assert_eq!(*item.output, json!({}));
    }
    assert_eq!(
        (whole.counts.failed, whole.counts.skipped, whole.counts.completed),
        (1, 3, 1)
    );
    assert_eq!(whole.status, BatchStatus::Completed);
}

#[test]
fn a_retry_of_one_task_runs_those_again_that_were_skipped_for_it() {
    let mut journal = with_dependants();
    let first = journal.start("first");
    journal.end(&first, &command_failed());
    let command = AgentCommand::new(RETRY_ITEMS, json!({ "task_ids": ["first"] }));
    let facts = journal.state.handle_command(&command, journal.now).unwrap();
    let retried = facts[0].as_batch_items_retried().unwrap();
    assert_eq!(retried.task_ids, ["first", "named", "refers", "last"]);
    journal.say(&retried);
    assert_eq!(journal.wanted(), ["first#1", "other"]);
    journal.do_it(
        "first#1",
        json!({ "stdout": "", "stderr": "", "exit_code": 0, "tier": "full" }),
    );
    assert_eq!(journal.wanted(), ["named#1", "refers#1", "other"]);
}

#[test]
fn an_ended_batch_keeps_what_is_not_retried_with_its_output() {
    let mut journal = Journal::new(&json!([
        shell("a", "false"),
        shell("b", "false"),
        prompt("c", &["b"])
    ]));
    for key in ["a", "b"] {
        let step = journal.start(key);
        journal.end(&step, &command_failed());
    }
    let plan = retry_plan(&journal.events, &["b".to_owned()]).unwrap();
    let again = Journal::of_plan(&plan, Limits::NONE);
    assert_eq!(again.wanted(), ["b"]);
    let answer = board(&again.events).unwrap().answer("r", again.now);
    let states: Vec<ItemState> = answer.results.iter().map(|item| item.state).collect();
    assert_eq!(states, [ItemState::Failed, ItemState::Queued, ItemState::Queued]);
    assert_eq!(*answer.results[0].output, printed());
}

#[test]
fn what_was_cut_off_is_counted_apart() {
    let mut journal = Journal::new(&json!([
        shell("a", "x"),
        shell("b", "x"),
        prompt("c", &["a"]),
        prompt("d", &[])
    ]));
    let (a, b) = (journal.start("a"), journal.start("b"));
    journal.fail(&a, ErrorKind::Interrupted);
    // A journal of an older version calls it failed.
    journal.say(&BatchItemFailed {
        task_id: "b".to_owned(),
        epoch: 0,
        state: ItemState::Failed,
        error: Failure::new(ErrorKind::Interrupted, "cut off"),
    });
    journal.end(&b, &command_failed());
    let counts = journal.state.counts();
    assert_eq!((counts.interrupted, counts.failed, counts.skipped), (2, 0, 1));
    let answer = journal.state.answer("r", journal.now);
    assert_eq!(answer.results[0].state.as_str(), "interrupted");
    assert_eq!(answer.results[0].status, BatchStatus::Failed);
    assert_eq!(answer.results[2].error_kind, Some(ErrorKind::Interrupted));
}

#[test]
fn exit_codes_are_given_as_one_as_many_or_as_any() {
    let read = |value: Value| serde_json::from_value::<ExpectedExit>(value);
    assert_eq!(read(json!(3)).unwrap(), ExpectedExit::Codes(vec![3]));
    assert_eq!(
        read(json!([0, 1, 255])).unwrap(),
        ExpectedExit::Codes(vec![0, 1, 255])
    );
    assert_eq!(read(json!("any")).unwrap(), ExpectedExit::Any);
    for wrong in [
        json!([]),
        json!(256),
        json!(-1),
        json!(1.5),
        json!("all"),
        json!(["any"]),
        json!(null),
        json!({}),
    ] {
        let error = read(wrong.clone()).unwrap_err().to_string();
        assert_eq!(
            error, "expected an exit code from 0 to 255, a list of them, or \"any\"",
            "{wrong}"
        );
    }
    let plan = planned(&json!([
        { "task_id": "a", "type": "execute_shell_command", "parameters": { "command": "x", "expect_exit": [300] } },
    ]));
    let journal = Journal::of_plan(&plan, Limits::NONE);
    assert_eq!(
        journal.error_of("a"),
        (
            ErrorKind::InvalidInput,
            "/parameters/expect_exit: expected an exit code from 0 to 255, a list of them, or \"any\""
                .to_owned()
        )
    );
}

#[test]
fn attempts_and_retries_say_the_same_and_only_commands_are_idempotent() {
    let mut task = shell("a", "x");
    task["max_attempts"] = json!(4);
    task["idempotent"] = json!(true);
    let journal = Journal::new(&json!([task]));
    let step = journal.step("a");
    assert_eq!(step.retry.max_attempts, 4);
    assert_eq!(
        (&step.input["idempotent"], &step.input["retry_on_exit"]),
        (&json!(true), &json!(true))
    );
    for (field, value, message) in [
        ("max_attempts", json!(0), "/0/max_attempts: between 1 and 21"),
        ("max_attempts", json!(22), "/0/max_attempts: between 1 and 21"),
        (
            "max_retries",
            json!(1),
            "/0/max_attempts: contradicts max_retries; leave one of them out",
        ),
    ] {
        let mut task = task.clone();
        task[field] = value;
        let error = read_batch(json!([task]).to_string().as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let mut agent = json!({ "task_id": "b", "type": "agent", "parameters": { "prompt": "x" } });
    agent["idempotent"] = json!(true);
    let journal = Journal::new(&json!([agent]));
    assert_eq!(journal.state.state_of("b"), Some(ItemState::Rejected));
    assert!(journal.error_of("b").1.starts_with("/idempotent: "));
}
