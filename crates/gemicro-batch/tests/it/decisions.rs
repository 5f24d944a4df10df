//! From a journal to a decision.

use std::time::Duration;

use gemicro_batch::contract::ItemState;
use gemicro_batch::flow::{MAX_WANTED, board};
use gemicro_batch::types::RunInput;
use gemicro_core::ask::AgentTask;
use gemicro_core::budget::Limits;
use gemicro_core::flow::Outcome;
use gemicro_event::ErrorKind;
use serde_json::{Value, json};

use crate::support::{Journal, planned, prompt, said};

fn states(journal: &Journal) -> Vec<ItemState> {
    journal.states().into_iter().map(|(_, state)| state).collect()
}

#[test]
fn what_waits_for_nothing_is_wanted_by_priority_then_place() {
    let mut tasks: Vec<Value> = ["a", "b", "c", "d"].iter().map(|id| prompt(id, &[])).collect();
    tasks[2]["priority"] = json!(5);
    tasks[0]["priority"] = json!(-1);
    tasks.push(prompt("e", &["a"]));
    let journal = Journal::new(&json!(tasks));
    assert_eq!(journal.wanted(), ["c", "b", "d", "a"]);
}

#[test]
fn a_diamond_is_done_in_its_order() {
    let batch = json!([
        prompt("d", &["b", "c"]),
        prompt("b", &["a"]),
        prompt("c", &["a"]),
        prompt("a", &[])
    ]);
    let mut journal = Journal::new(&batch);
    assert_eq!(journal.wanted(), ["a"]);
    journal.do_it("a", said("1"));
    assert_eq!(journal.wanted(), ["b", "c"]);
    journal.do_it("c", said("2"));
    assert_eq!(journal.wanted(), ["b"]);
    journal.do_it("b", said("3"));
    assert_eq!(journal.wanted(), ["d"]);
    assert!(journal.decide().finish.is_none());
    journal.do_it("d", said("4"));
    let Some(Outcome::Completed { message, data }) = journal.decide().finish else {
        panic!("it completed");
    };
    assert_eq!(message, "4 of 4 tasks completed");
    assert_eq!(
        (&data["answer"], &data["counts"]["completed"]),
        (&json!(message), &json!(4))
    );
}

#[test]
fn a_running_step_is_not_wanted_and_a_waiting_one_is_again() {
    let mut journal = Journal::new(&json!([prompt("a", &[]), prompt("b", &[])]));
    let a = journal.start("a");
    assert_eq!(
        (journal.wanted(), states(&journal)[0]),
        (vec!["b".to_owned()], ItemState::Running)
    );
    journal.retrying(&a);
    assert_eq!(
        (journal.wanted().len(), states(&journal)[0]),
        (2, ItemState::Queued)
    );
    let a = journal.step("a");
    journal.start_step(&a, 2);
    journal.lost(&a);
    assert_eq!(journal.wanted(), ["a", "b"]);
    // Deciding twice is harmless.
    assert_eq!(journal.decide(), journal.decide());
}

#[test]
fn the_output_of_one_task_is_the_parameter_of_another() {
    let batch = json!([
        { "task_id": "b", "type": "prompt", "parameters": { "prompt": "Again: ${a.output.text}" } },
        { "task_id": "a", "type": "prompt", "parameters": { "prompt": "x" } },
        { "task_id": "s", "type": "execute_shell_command", "parameters": { "command": "echo \"${a.output.text}\"" } },
    ]);
    let mut journal = Journal::new(&batch);
    assert_eq!(journal.wanted(), ["a"], "a reference is a dependency");
    journal.do_it("a", said("${b.output.text} $(rm -rf ~)"));
    assert_eq!(journal.wanted(), ["b", "s"]);
    assert_eq!(
        journal.step("b").input["prompt"],
        "Again: ${b.output.text} $(rm -rf ~)"
    );
    let shell = journal.step("s").input;
    assert_eq!(shell["command"], "echo \"${GEMICRO_REF_1}\"");
    assert_eq!(
        shell["environment"]["GEMICRO_REF_1"],
        "${b.output.text} $(rm -rf ~)"
    );
}

#[test]
fn a_reference_that_leads_nowhere_fails_its_task_alone() {
    let batch = json!([
        prompt("a", &[]),
        { "task_id": "b", "type": "prompt", "parameters": { "prompt": "${a.output.json.x}" } },
        { "task_id": "c", "type": "prompt", "parameters": { "prompt": "c", "max_output_tokens": "${a.output.text}" } },
        prompt("d", &["a"]),
    ]);
    let mut journal = Journal::new(&batch);
    journal.do_it("a", said("ten"));
    assert_eq!(journal.wanted(), ["d"]);
    let (kind, message) = journal.error_of("b");
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(
        message,
        "/prompt: the reference ${a.output.json.x} cannot be resolved: there is no `json` among text"
    );
    let (kind, message) = journal.error_of("c");
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(
        message.starts_with("/parameters/max_output_tokens: invalid type: string \"ten\""),
        "{message}"
    );
}

#[test]
fn unknown_types_are_rejected_and_the_others_proceed() {
    let batch = json!([
        { "task_id": "x", "type": "query_weather", "parameters": {} },
        { "task_id": "y", "type": "prompt", "parameters": { "prompt": 7 } },
        prompt("a", &[]),
        prompt("after", &["x", "a"]),
    ]);
    let journal = Journal::new(&batch);
    assert_eq!(journal.wanted(), ["a"]);
    use ItemState::{Queued, Rejected, Skipped};
    assert_eq!(states(&journal), [Rejected, Rejected, Queued, Skipped]);
    assert_eq!(
        journal.error_of("x").1,
        "there is no task type `query_weather`; there are prompt, research, agent, execute_shell_command, get_memory_summary, query_coverage, propose_test, refine_test, propose_strategy, pipeline"
    );
    assert_eq!(
        journal.error_of("after"),
        (
            ErrorKind::InvalidInput,
            "not run: task `x`, which it depends on, was rejected".to_owned()
        )
    );
}

#[test]
fn nothing_completed_is_a_failed_run() {
    let mut journal = Journal::new(&json!([prompt("a", &[]), prompt("b", &["a"])]));
    let a = journal.start("a");
    journal.fail(&a, ErrorKind::Blocked);
    let Some(Outcome::Failed(failure)) = journal.decide().finish else {
        panic!("it failed");
    };
    assert_eq!(failure.kind, ErrorKind::Blocked);
    assert_eq!(failure.message, "none of 2 tasks completed; the first: it failed");
}

#[test]
fn a_batch_that_can_start_nothing_ends_at_once() {
    let journal = Journal::new(&json!([{ "task_id": "x", "type": "pipeline", "parameters": {} }]));
    assert!(matches!(journal.decide().finish, Some(Outcome::Failed(_))));
}

#[test]
fn wanted_and_running_steps_are_bounded() {
    let tasks: Vec<Value> = (0..1_000).map(|idx| prompt(&format!("t{idx}"), &[])).collect();
    let mut journal = Journal::new(&json!(tasks));
    assert_eq!(journal.wanted().len(), MAX_WANTED);
    for step in journal.decide().want.into_iter().take(100) {
        journal.start_step(&step, 1);
    }
    assert_eq!(journal.wanted().len(), MAX_WANTED - 100);
    assert_eq!(journal.wanted()[0], "t100");
}

#[test]
fn a_limit_holds_back_its_own_kind_only() {
    let mut tasks: Vec<Value> = (0..500).map(|idx| prompt(&format!("t{idx}"), &[])).collect();
    tasks.push(json!({ "task_id": "s", "type": "get_memory_summary", "parameters": {} }));
    let mut journal = Journal::new(&json!(tasks));
    assert!(!journal.wanted().contains(&"s".to_owned()), "behind many others");
    let first = journal.start("t0");
    let until = journal.now.plus(Duration::from_secs(60));
    journal.parked(&first, until);
    assert_eq!(journal.wanted(), ["s"]);
    assert_eq!(states(&journal)[0], ItemState::Parked);
    journal.woken();
    assert_eq!(journal.wanted()[0], "t0");
}

#[test]
fn what_is_left_of_the_budget_is_shared() {
    let agent = |id: &str| json!({ "task_id": id, "type": "agent", "parameters": { "prompt": id } });
    let research = json!({ "task_id": "r", "type": "research", "parameters": { "question": "q" } });
    let limits = Limits {
        tokens: Some(9_000),
        ..Limits::NONE
    };
    let mut journal = Journal::of_plan(&planned(&json!([agent("a"), agent("b"), research])), limits);
    let granted = |journal: &Journal, key: &str| {
        let step = journal.step(key);
        let grant = match key {
            "r" => step.input.parse::<RunInput>().unwrap().grant,
            _ => step.input.parse::<AgentTask>().unwrap().grant,
        };
        (step.cost.tokens, grant.tokens)
    };
    for key in ["a", "b", "r"] {
        assert_eq!(granted(&journal, key), (3_000, Some(3_000)), "{key}");
    }
    journal.start("a");
    assert_eq!(
        granted(&journal, "b"),
        (3_000, Some(3_000)),
        "what runs holds its part"
    );
    // Without a limit nothing is granted, and nothing reserved.
    let free = Journal::new(&json!([agent("a")]));
    assert_eq!(granted(&free, "a"), (0, None));
}

#[test]
fn a_task_is_tried_as_often_as_it_says() {
    let mut tasks = [
        prompt("a", &[]),
        prompt("b", &[]),
        prompt("c", &[]),
        prompt("d", &[]),
    ];
    tasks[3]["max_attempts"] = json!(5);
    tasks[1]["max_retries"] = json!(0);
    tasks[2]["max_retries"] = json!(7);
    let journal = Journal::new(&json!(tasks));
    let attempts: Vec<u32> = journal
        .decide()
        .want
        .iter()
        .map(|step| step.retry.max_attempts)
        .collect();
    assert_eq!(attempts, [3, 1, 8, 5]);
}

#[test]
fn the_board_and_the_flow_agree() {
    let mut journal = Journal::new(&json!([prompt("a", &[]), prompt("b", &["a"]), prompt("c", &[])]));
    journal.do_it("a", said("x"));
    journal.start("b");
    let shown = board(&journal.events).unwrap();
    assert_eq!(shown.counts(), journal.state.counts());
    let answer = shown.answer("r", journal.now);
    assert_eq!(answer.results[0].output.text(), r#"{"text":"x"}"#);
    assert!(board(&journal.events[1..]).is_err());
}
