//! Large batches: the fold is incremental, deciding does not grow with the batch.

use gemicro_batch::flow::MAX_WANTED;
use serde_json::{Value, json};

use crate::support::{Journal, prompt, said};

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
