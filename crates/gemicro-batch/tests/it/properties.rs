//! What holds for every batch and every journal.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_batch::contract::{Counts, ItemState, read_batch};
use gemicro_batch::flow::{BatchFlow, BatchItemsCancelled, BatchItemsRetried, board, plan};
use gemicro_core::flow::{Flow, Step};
use gemicro_event::{ErrorKind, Json};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::support::{Journal, said, settings};

/// A valid batch as bytes, to be damaged.
const VALID: &str = r#"{"key":"k","on_failure":"stop","tasks":[
 {"task_id":"a","type":"prompt","parameters":{"prompt":"x"},"priority":1},
 {"task_id":"b","type":"execute_shell_command","parameters":{"command":"echo ${a.output.text} $${"},"depends_on":["a"]}]}"#;

/// Reads bytes; whatever is accepted must also be planned, started and decided.
fn never_panics(bytes: &[u8]) {
    match read_batch(bytes) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(submitted) => {
            let ids: BTreeSet<&str> = submitted.tasks.iter().map(|task| task.task_id.as_str()).collect();
            assert_eq!(ids.len(), submitted.tasks.len());
            assert!(
                submitted
                    .tasks
                    .iter()
                    .all(|task| task.depends_on.iter().all(|id| ids.contains(id.as_str())))
            );
            let plan = plan(submitted, settings());
            let state = BatchFlow.start(&Json::of(&plan).unwrap()).unwrap();
            assert_eq!(state.counts().total, u64::try_from(plan.items.len()).unwrap());
        }
    }
}

fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<Index>(), any::<u8>(), 0..4u8);
    prop::collection::vec(change, 1..6).prop_map(|changes| {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, byte, what) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if bytes.len() > 1 => {
                    bytes.remove(at);
                }
                _ => bytes.truncate(at.max(1)),
            }
        }
        bytes
    })
}

/// JSON of all kinds, with the names of fields where they may or may not belong.
fn jsonish() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "task_id",
        "type",
        "parameters",
        "depends_on",
        "priority",
        "tasks",
        "key",
        "prompt",
        "command",
        "x",
    ]);
    let text = prop::sample::select(vec![
        "a",
        "b",
        "prompt",
        "execute_shell_command",
        "${a.output.x}",
        "$${",
        "",
        "ü",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|fields| Value::Object(
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), damaged in damaged(), json in jsonish()) {
        never_panics(&bytes);
        never_panics(&damaged);
        never_panics(json.to_string().as_bytes());
        never_panics(format!("[{json}]").as_bytes());
        never_panics(format!("{json}\n{json}").as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000_000))]

    /// `cargo test -p gemicro-batch --test it a_million -- --ignored`
    #[test]
    #[ignore = "takes minutes; the command stands above it"]
    fn a_million_cases_make_nothing_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), damaged in damaged(), json in jsonish()) {
        never_panics(&bytes);
        never_panics(&damaged);
        never_panics(format!("[{json}]").as_bytes());
    }
}

/// A batch whose tasks depend on earlier ones, in any order of places.
fn batches() -> impl Strategy<Value = Value> {
    let task = (
        0..6u8,
        -2..3i32,
        0..4u64,
        prop::collection::vec(any::<Index>(), 0..3),
        any::<bool>(),
    );
    let tasks = prop::collection::vec(task, 1..14);
    (tasks, any::<bool>(), any::<u64>()).prop_map(|(tasks, stops, turn)| {
        let mut values = Vec::new();
        for (idx, (kind, priority, deadline, needs, refers)) in tasks.iter().enumerate() {
            let needs: Vec<String> = needs
                .iter()
                .filter(|_| idx > 0)
                .map(|it| format!("t{}", it.index(idx)))
                .collect();
            let task_type = [
                "prompt",
                "prompt",
                "agent",
                "execute_shell_command",
                "research",
                "nonsense",
            ][usize::from(*kind)];
            let text = match needs.first() {
                Some(first) if *refers => format!("${{{first}.output.text}}"),
                _ => "x".to_owned(),
            };
            let parameters = match task_type {
                "execute_shell_command" => json!({ "command": text }),
                "research" => json!({ "question": text }),
                _ => json!({ "prompt": text }),
            };
            let mut value = json!({
                "task_id": format!("t{idx}"), "type": task_type, "parameters": parameters,
                "priority": priority, "depends_on": needs,
            });
            if *deadline > 0 {
                value["deadline_seconds"] = json!(deadline);
            }
            values.push(value);
        }
        let n_turns = usize::try_from(turn % 14).unwrap() % values.len();
        values.rotate_left(n_turns);
        json!({ "tasks": values, "on_failure": if stops { "stop" } else { "continue" } })
    })
}

/// One thing that happens; the indices choose among what is possible.
type Happening = (u8, Index);

struct Play {
    journal: Journal,
    running: Vec<Step>,
    /// Final states seen, until a retry.
    finals: BTreeMap<String, ItemState>,
}

impl Play {
    fn happen(&mut self, (what, which): Happening) {
        let journal = &mut self.journal;
        let ids: Vec<String> = journal.states().into_iter().map(|(id, _)| id).collect();
        let id = ids[which.index(ids.len())].clone();
        let ending = |running: &mut Vec<Step>| {
            (!running.is_empty()).then(|| running.swap_remove(which.index(running.len())))
        };
        match what {
            0..=2 => {
                let want = journal.decide().want;
                if !want.is_empty() {
                    let step = want[which.index(want.len())].clone();
                    journal.start_step(&step, 1);
                    self.running.push(step);
                }
            }
            3 | 4 => {
                if let Some(step) = ending(&mut self.running) {
                    journal.complete(&step, said("done"));
                }
            }
            5 => {
                if let Some(step) = ending(&mut self.running) {
                    journal.fail(&step, ErrorKind::Blocked);
                }
            }
            6 => {
                if let Some(step) = ending(&mut self.running) {
                    journal.retrying(&step);
                }
            }
            7 => {
                if let Some(step) = ending(&mut self.running) {
                    let until = journal.now;
                    journal.parked(&step, until);
                    journal.woken();
                }
            }
            8 => {
                if let Some(step) = ending(&mut self.running) {
                    journal.lost(&step);
                }
            }
            9 => journal.fired(&format!("deadline/{}", which.index(4))),
            10 => journal.say(&BatchItemsCancelled {
                task_ids: vec![id],
                reason: String::new(),
            }),
            11 => {
                self.finals.remove(&id);
                journal.say(&BatchItemsRetried { task_ids: vec![id] });
            }
            // The same end told twice, and a start out of nowhere.
            _ => {
                if let Some(step) = self.running.first().cloned() {
                    journal.complete(&step, said("done"));
                    journal.fail(&step, ErrorKind::Blocked);
                    journal.lost(&step);
                    self.running.remove(0);
                }
            }
        }
        self.check();
    }

    /// What must be true after every event.
    fn check(&mut self) {
        let mut recount = Counts::default();
        for (task_id, state) in self.journal.states() {
            recount.add(state);
            if let Some(before) = self.finals.get(&task_id) {
                assert_eq!(*before, state, "{task_id} had its final state");
            }
            if state.is_final() {
                self.finals.insert(task_id, state);
            }
        }
        assert_eq!(self.journal.state.counts(), recount);
        let decision = self.journal.decide();
        assert_eq!(decision.finish.is_some(), recount.open() == 0);
        let keys: BTreeSet<&str> = decision.want.iter().map(|step| step.key.as_str()).collect();
        assert_eq!(keys.len(), decision.want.len(), "each step once");
        for step in &self.running {
            assert!(!keys.contains(step.key.as_str()), "{} runs already", step.key);
        }
    }

    /// Does everything that is left, so that the batch must end.
    fn do_the_rest(&mut self) {
        for _ in 0..1_000 {
            for step in std::mem::take(&mut self.running) {
                self.journal.complete(&step, said("done"));
                self.check();
            }
            let decision = self.journal.decide();
            if decision.finish.is_some() {
                return;
            }
            assert!(
                !decision.want.is_empty(),
                "open tasks, and nothing to do: {:?}",
                self.journal.states()
            );
            for step in decision.want {
                self.journal.start_step(&step, 1);
                self.running.push(step);
            }
        }
        panic!("it does not end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn each_task_has_one_final_state_and_counts_are_true(
        batch in batches(),
        happenings in prop::collection::vec((0..13u8, any::<Index>()), 0..60),
    ) {
        let mut play = Play { journal: Journal::new(&batch), running: Vec::new(), finals: BTreeMap::new() };
        play.check();
        for happening in happenings {
            play.happen(happening);
        }
        play.do_the_rest();
        // Folding the journal again, with every output, tells the same.
        let again = board(&play.journal.events).unwrap();
        prop_assert_eq!(again.counts(), play.journal.state.counts());
        for (task_id, state) in play.journal.states() {
            prop_assert_eq!(again.state_of(&task_id), Some(state));
        }
    }
}
