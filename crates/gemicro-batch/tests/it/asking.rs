//! Tasks whose runs wait for a person.

use gemicro_batch::contract::{BatchStatus, ItemQuestion, ItemState};
use gemicro_batch::flow::{BatchFlow, BatchItemAnswered, BatchItemAsks, BatchItemsCancelled, board};
use gemicro_core::flow::{Flow, Step};
use gemicro_event::{AgentUpdate, ErrorKind, StreamId};
use serde_json::{Value, json};

use crate::support::{Journal, prompt, said};

fn pipeline(task_id: &str) -> Value {
    json!({ "task_id": task_id, "type": "pipeline", "parameters": { "task": "x" } })
}

fn question(key: &str) -> ItemQuestion {
    ItemQuestion {
        run_id: StreamId::new("child").unwrap(),
        key: key.to_owned(),
        text: "Shall it begin?".to_owned(),
    }
}

fn ask(journal: &mut Journal, step: &Step, key: &str) {
    let asks = BatchItemAsks {
        question: question(key),
    };
    journal.push(AgentUpdate::new(&asks, journal.now), Some(&step.key));
}

fn answered(journal: &mut Journal, step: &Step, key: &str) {
    let given = BatchItemAnswered {
        run_id: StreamId::new("child").unwrap(),
        key: key.to_owned(),
    };
    journal.push(AgentUpdate::new(&given, journal.now), Some(&step.key));
}

#[test]
fn a_run_that_asks_is_shown_with_its_question_until_it_is_answered() {
    let mut journal = Journal::new(&json!([pipeline("a"), prompt("b", &["a"]), prompt("c", &[])]));
    let a = journal.start("a");
    ask(&mut journal, &a, "plan.1:human");
    let c = journal.start("c");
    assert!(!journal.state.counts().waits_for_person(), "c runs");
    journal.complete(&c, said("x"));
    let counts = journal.state.counts();
    assert_eq!((counts.input_required, counts.running, counts.queued), (1, 0, 1));
    assert!(counts.waits_for_person());
    assert!(journal.wanted().is_empty() && journal.decide().finish.is_none());
    let answer = board(&journal.events).unwrap().answer("r", journal.now);
    assert_eq!(answer.status, BatchStatus::Pending);
    assert_eq!(answer.results[0].question, Some(question("plan.1:human")));
    let lines = BatchFlow.board(&mut journal.state);
    assert_eq!(lines[0].state, "input_required");
    assert_eq!(lines[0].shown["question"]["text"], "Shall it begin?");

    // An answer to something else is none.
    answered(&mut journal, &a, "other");
    assert_eq!(journal.state.state_of("a"), Some(ItemState::InputRequired));
    answered(&mut journal, &a, "plan.1:human");
    assert_eq!(journal.state.state_of("a"), Some(ItemState::Running));
    let lines = BatchFlow.board(&mut journal.state);
    assert_eq!((lines.len(), lines[0].shown.get("question")), (1, None));
    ask(&mut journal, &a, "audit.1:human");
    journal.complete(&a, json!({ "run_id": "child", "result": {} }));
    assert_eq!(journal.wanted(), ["b"]);
    assert_eq!(journal.state.counts().input_required, 0);
}

#[test]
fn what_waits_for_a_person_can_be_lost_and_cancelled_like_what_runs() {
    let mut journal = Journal::new(&json!([pipeline("a"), pipeline("b")]));
    let (a, b) = (journal.start("a"), journal.start("b"));
    ask(&mut journal, &a, "k");
    ask(&mut journal, &b, "k");
    // What was asked stays asked while nobody carries it out.
    journal.lost(&a);
    let answer = journal.state.answer("r", journal.now);
    assert_eq!(answer.results[0].question, Some(question("k")));
    assert_eq!(answer.counts.input_required, 2);
    assert_eq!(journal.wanted(), ["a"]);
    let again = journal.step("a");
    journal.start_step(&again, 2);
    assert_eq!(journal.state.state_of("a"), Some(ItemState::Running));
    ask(&mut journal, &again, "k");
    journal.lost(&again);
    journal.say(&BatchItemsCancelled {
        task_ids: vec!["a".to_owned()],
        reason: String::new(),
    });
    assert_eq!(
        journal.state.state_of("a"),
        Some(ItemState::Cancelled),
        "no step of it runs"
    );
    journal.say(&BatchItemsCancelled {
        task_ids: vec!["b".to_owned()],
        reason: String::new(),
    });
    assert_eq!(
        journal.decide().cancel,
        std::slice::from_ref(&b.key),
        "its step ends first"
    );
    journal.fail(&b, ErrorKind::Cancelled);
    assert_eq!(journal.state.state_of("b"), Some(ItemState::Cancelled));
    // What is told too late opens nothing again.
    ask(&mut journal, &b, "k");
    assert_eq!(journal.state.state_of("b"), Some(ItemState::Cancelled));
}
