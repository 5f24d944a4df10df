//! What must be true of a batch at every poll and at its end.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use gemicro_core::store::Store;
use gemicro_engine::{Batches, BoardPage, Counts, ItemAnswer, ItemState, LocalRunService};
use gemicro_event::{ErrorKind, Event, StreamId, is_terminal};

use super::world::{N_TASKS, World};

/// What polls said so far.
#[derive(Default)]
pub(super) struct Ledger {
    /// Tasks with their final state, as they were first seen so.
    settled: BTreeMap<String, ItemAnswer>,
    /// How often the prompt of a task was sent when its answer was first seen.
    sent_then: BTreeMap<String, usize>,
    n_polls: usize,
}

/// What the kills of a batch met.
#[derive(Default)]
pub(super) struct CutOff {
    /// Attempts that were cut off.
    pub(super) n_attempts: usize,
    /// Commands that were, and are not repeated.
    pub(super) n_commands: usize,
    /// Of those, the ones that had written their line.
    pub(super) n_effects: usize,
    /// Polls while all this went on.
    pub(super) n_polls: usize,
}

impl Display for CutOff {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            n_attempts,
            n_commands,
            n_effects,
            n_polls,
        } = self;
        write!(
            f,
            "{n_attempts} attempts cut off, {n_commands} commands not repeated ({n_effects} had written), {n_polls} polls"
        )
    }
}

impl Ledger {
    /// Looks at the batch, if it was handed in; tells whether it has come to its end.
    pub(super) async fn poll(&mut self, world: &World) -> bool {
        let Some(batch) = world.place.batch() else {
            return false;
        };
        let batches = Batches::new(Arc::new(LocalRunService::new(world.engine.clone())));
        let answer = batches.poll(&batch, BoardPage::ALL).await.unwrap();
        self.n_polls += 1;
        let counts = answer.counts;
        let mut counted = Counts::default();
        for item in &answer.results {
            counted.add(item.state);
        }
        assert_eq!(
            (counts, counts.total),
            (counted, N_TASKS as u64),
            "poll {}",
            self.n_polls
        );
        let (open, done) = (counts.open(), counts.completed + counts.interrupted);
        assert_eq!(
            open + done,
            N_TASKS as u64,
            "nothing fails, and nobody cancels or rejects: {counts:?}"
        );
        assert_eq!(answer.next_poll_interval_seconds == 0, open == 0);
        let n_sent = world.n_sent();
        for item in answer.results {
            let task_id = item.task_id.clone();
            match self.settled.get(&task_id) {
                Some(before) => assert_eq!(&item, before, "a final state changed"),
                None if item.state.is_final() => {
                    // Counted after the poll: what is sent from now on is sent in vain.
                    let sent = n_sent.get(&task_id).copied().unwrap_or(0);
                    self.sent_then.insert(task_id.clone(), sent);
                    self.settled.insert(task_id, item);
                }
                None => {}
            }
        }
        open == 0
    }

    /// The end of the batch: everything once. All that is wrong is told together.
    pub(super) async fn check(&self, world: &World) -> CutOff {
        assert_eq!(self.settled.len(), N_TASKS);
        let run = StreamId::new(world.place.batch().unwrap()).unwrap();
        let page = world.engine.store().read(&run, 0, usize::MAX).await.unwrap();
        check_order(&page.events);
        let (effects, n_sent) = (world.effects(), world.n_sent());
        let mut cut_off = CutOff {
            n_polls: self.n_polls,
            ..CutOff::default()
        };
        let mut wrong = Vec::new();
        for (task_id, item) in &self.settled {
            let story = Story::of(&page.events, task_id);
            let is_completed = item.state == ItemState::Completed;
            cut_off.n_attempts += story.count("step_lost");
            let mut must = |is_so: bool, what: &str| {
                if !is_so {
                    wrong.push(format!(
                        "{task_id} {what}: {:?} {:?}\n{story}",
                        item.state, item.error
                    ));
                }
            };
            let completed = ["step_completed", "batch_item_completed"].map(|kind| story.count(kind));
            let failed = ["step_failed", "batch_item_failed"].map(|kind| story.count(kind));
            let expected = if is_completed {
                ([1, 1], [0, 0])
            } else {
                ([0, 0], [1, 1])
            };
            must((completed, failed) == expected, "has not one end");
            if task_id.starts_with("shell") {
                let n_effects = effects.get(task_id).copied().unwrap_or(0);
                must(n_effects <= 1, &format!("wrote {n_effects} lines"));
                must(
                    !is_completed || n_effects == 1,
                    "completed and did not write its line",
                );
                let is_cut_off = item.error_kind == Some(ErrorKind::Interrupted);
                must(is_completed || is_cut_off, "failed for another reason");
                cut_off.n_commands += usize::from(is_cut_off);
                cut_off.n_effects += n_effects * usize::from(is_cut_off);
                continue;
            }
            must(is_completed, "did not complete");
            let sent = n_sent.get(task_id).copied().unwrap_or(0);
            must(
                sent == self.sent_then[task_id],
                "was sent again behind its answer",
            );
            must(
                sent <= story.count("step_started"),
                &format!("was sent {sent} times"),
            );
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        cut_off
    }
}

/// No gap, and one end, which is the last event.
fn check_order(journal: &[Event]) {
    let mut numbered = journal.iter().zip(1..);
    assert!(numbered.all(|(event, place)| event.seq == place), "a gap");
    let ends = journal
        .iter()
        .filter(|event| is_terminal(&event.update.event_type));
    let ends: Vec<u64> = ends.map(|event| event.seq).collect();
    assert_eq!(ends, [journal.len() as u64]);
}

/// What the journal says about one task, with the kills that it went through.
struct Story<'j>(Vec<&'j Event>);

impl<'j> Story<'j> {
    fn of(journal: &'j [Event], task_id: &str) -> Self {
        let is_about = |event: &&Event| match &event.step {
            Some(step) => step.as_str() == task_id,
            None => event.update.event_type == "run_resumed",
        };
        Self(journal.iter().filter(is_about).collect())
    }

    fn count(&self, event_type: &str) -> usize {
        let events = self.0.iter();
        events
            .filter(|event| event.update.event_type == event_type)
            .count()
    }
}

impl Display for Story<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for event in &self.0 {
            let (at, kind) = (event.update.timestamp, &event.update.event_type);
            writeln!(f, "  {:>5} {at} {kind}: {}", event.seq, event.update.message)?;
        }
        Ok(())
    }
}
