//! Large batches: the fold is incremental, deciding does not grow with the batch.

use std::time::Instant;

use gemicro_batch::flow::{BatchFlow, MAX_WANTED};
use gemicro_core::flow::Flow;
use gemicro_event::Json;
use serde_json::{Value, json};

use crate::support::{Journal, planned, prompt, said};

fn many(n_tasks: usize) -> Value {
    let tasks: Vec<Value> = (0..n_tasks)
        .map(|idx| {
            let needed = format!("t{}", idx / 2);
            let needs: &[&str] = if idx % 2 == 1 && idx > 2 {
                &[needed.as_str()]
            } else {
                &[]
            };
            prompt(&format!("t{idx}"), needs)
        })
        .collect();
    json!(tasks)
}

#[test]
fn deciding_looks_at_no_more_than_it_may_want() {
    for n_tasks in [1_000, 4_000] {
        let journal = Journal::new(&many(n_tasks));
        let decision = journal.decide();
        assert_eq!(
            (decision.want.len(), decision.cancel.len(), decision.waits.len()),
            (MAX_WANTED, 0, 0)
        );
    }
}

#[test]
fn a_chain_as_long_as_a_batch_does_not_overflow() {
    let mut tasks = vec![prompt("t0", &[])];
    for idx in 1..20_000 {
        let needed = format!("t{}", idx - 1);
        tasks.push(prompt(&format!("t{idx}"), &[needed.as_str()]));
    }
    let mut journal = Journal::new(&json!(tasks));
    let first = journal.start("t0");
    journal.fail(&first, gemicro_event::ErrorKind::Blocked);
    let counts = journal.state.counts();
    assert_eq!((counts.failed, counts.skipped), (1, 19_999));
}

#[test]
fn one_event_changes_what_it_speaks_of() {
    // Twice the batch must not mean twice the work per event: each event is folded in a state of its own size, and
    // what it touches is told by the counts.
    let mut journal = Journal::new(&many(3_000));
    let before = journal.state.counts();
    let step = journal.step("t0");
    journal.start_step(&step, 1);
    let running = journal.state.counts();
    assert_eq!((running.queued, running.running), (before.queued - 1, 1));
    journal.complete(&step, said("x"));
    let done = journal.state.counts();
    assert_eq!(
        (done.queued, done.running, done.completed),
        (before.queued - 1, 0, 1)
    );
}

/// `cargo test --release -p gemicro-batch --test it ten_thousand -- --ignored --nocapture`
#[test]
#[ignore = "prints rates; the command stands above it"]
fn ten_thousand_tasks_at_a_rate() {
    for n_tasks in [10_000, 100_000] {
        let batch = many(n_tasks).to_string();
        let began = Instant::now();
        let submitted = gemicro_batch::contract::read_batch(batch.as_bytes()).unwrap();
        let read = began.elapsed();
        let plan = gemicro_batch::flow::plan(submitted, crate::support::settings());
        let json = Json::of(&plan).unwrap();
        let planned_in = began.elapsed() - read;
        let begun = Instant::now();
        let state = BatchFlow.start(&json).unwrap();
        let started = begun.elapsed();
        drop(state);
        let mut journal = Journal::of_plan(&planned(&many(n_tasks)), gemicro_core::budget::Limits::NONE);
        let (began, mut n_decisions) = (Instant::now(), 0u32);
        loop {
            let decision = journal.decide();
            n_decisions += 1;
            if decision.finish.is_some() {
                break;
            }
            for step in decision.want.into_iter().take(64) {
                journal.start_step(&step, 1);
                journal.complete(&step, said("x"));
            }
        }
        let all = began.elapsed();
        let n_events = journal.events.len();
        let per_second = n_events as f64 / all.as_secs_f64();
        println!(
            "{n_tasks} tasks: read {read:?}, plan {planned_in:?}, start {started:?}; {n_events} events and \
             {n_decisions} decisions in {all:?} ({per_second:.0} events a second)"
        );
    }
}
