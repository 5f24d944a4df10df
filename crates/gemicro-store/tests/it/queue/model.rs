//! Random histories, checked against a queue of twenty lines.

use std::collections::BTreeMap;
use std::time::Duration;

use gemicro_core::queue::{Heartbeat, QueueCounts, QueueState, QueuedStep, StepLease, StepQueue, WorkerNews};
use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::{claim, enqueue, names, step};
use crate::make::{MINUTE, all, free_run, gap_free, note};

const N_HISTORIES: usize = 24;
const MAX_ATTEMPTS: u32 = 3;

/// One thing somebody does. Steps are numbers, which are also their priorities; leases count from the oldest.
#[derive(Debug, Clone)]
enum Act {
    Enqueue {
        steps: Vec<usize>,
        attempt: u32,
    },
    /// A worker that was heard last when it claimed, or one that lives on.
    Claim {
        max_steps: usize,
        dies: bool,
    },
    Settle {
        lease: usize,
        news: NewsKind,
    },
    Heartbeat {
        lease: usize,
    },
    Cancel {
        step: usize,
    },
    Retry {
        step: usize,
    },
}

#[derive(Debug, Clone, Copy)]
enum NewsKind {
    Working,
    Completed,
    AgainNow,
    AgainLater,
    Failed,
    Cancelled,
}

fn act() -> impl Strategy<Value = Act> {
    let news = prop_oneof![
        1 => Just(NewsKind::Working),
        3 => Just(NewsKind::Completed),
        2 => Just(NewsKind::AgainNow),
        1 => Just(NewsKind::AgainLater),
        1 => Just(NewsKind::Failed),
        1 => Just(NewsKind::Cancelled),
    ];
    prop_oneof![
        3 => (prop::collection::vec(0..8usize, 1..5), 1..4u32)
            .prop_map(|(steps, attempt)| Act::Enqueue { steps, attempt }),
        4 => (1..4usize, any::<bool>()).prop_map(|(max_steps, dies)| Act::Claim { max_steps, dies }),
        6 => (0..12usize, news).prop_map(|(lease, news)| Act::Settle { lease, news }),
        2 => (0..12usize).prop_map(|lease| Act::Heartbeat { lease }),
        1 => (0..8usize).prop_map(|step| Act::Cancel { step }),
        1 => (0..8usize).prop_map(|step| Act::Retry { step }),
    ]
}

/// A step of the model.
#[derive(Debug, Clone)]
struct Step {
    state: QueueState,
    attempt: u32,
    max_attempts: u32,
    is_delayed: bool,
    is_silent: bool,
    is_cancelled: bool,
    holder: usize,
}

#[derive(Debug, Default)]
struct Model {
    steps: BTreeMap<usize, Step>,
    n_claims: usize,
    n_events: u64,
}

impl Model {
    fn enqueue(&mut self, steps: &[usize], attempt: u32) -> u64 {
        let mut n_new = 0;
        for step in steps {
            let is_new = match self.steps.get(step) {
                None => true,
                Some(known) => {
                    matches!(known.state, QueueState::Dead | QueueState::Cancelled) && attempt > known.attempt
                }
            };
            if is_new {
                n_new += 1;
                let new = Step {
                    state: QueueState::Queued,
                    attempt,
                    max_attempts: MAX_ATTEMPTS,
                    is_delayed: false,
                    is_silent: false,
                    is_cancelled: false,
                    holder: 0,
                };
                self.steps.insert(*step, new);
            }
        }
        n_new
    }

    fn claim(&mut self, max_steps: usize, dies: bool) -> Vec<(String, u32)> {
        for step in self.steps.values_mut() {
            if step.state == QueueState::Running && step.is_silent {
                self.n_events += 1;
                step.again(false);
            }
        }
        self.n_claims += 1;
        let mut taken = Vec::new();
        for (key, step) in self.steps.iter_mut().rev() {
            if taken.len() < max_steps && step.state == QueueState::Queued && !step.is_delayed {
                step.state = QueueState::Running;
                (step.is_silent, step.is_cancelled, step.holder) = (dies, false, self.n_claims);
                taken.push((format!("s{key}"), step.attempt));
            }
        }
        taken
    }

    /// The step that a lease still holds.
    fn held(&mut self, lease: &StepLease, holder: usize) -> Option<&mut Step> {
        let key = lease.step.as_str()[1..].parse().unwrap();
        let step = self.steps.get_mut(&key)?;
        let is_held =
            step.state == QueueState::Running && step.attempt == lease.attempt && step.holder == holder;
        is_held.then_some(step)
    }

    fn counts(&self) -> QueueCounts {
        let mut counts = QueueCounts::default();
        for step in self.steps.values() {
            match step.state {
                QueueState::Queued if step.is_delayed => counts.delayed += 1,
                QueueState::Queued => counts.ready += 1,
                QueueState::Running => counts.running += 1,
                QueueState::Completed => counts.completed += 1,
                QueueState::Dead => counts.dead += 1,
                QueueState::Cancelled => counts.cancelled += 1,
            }
        }
        counts
    }
}

impl Step {
    fn again(&mut self, is_delayed: bool) {
        if self.attempt < self.max_attempts {
            self.attempt += 1;
            self.is_delayed = is_delayed;
            self.state = QueueState::Queued;
        } else {
            self.state = QueueState::Dead;
        }
    }

    fn settle(&mut self, news: NewsKind) -> QueueState {
        match news {
            NewsKind::Working => {}
            NewsKind::Completed => self.state = QueueState::Completed,
            NewsKind::AgainNow => self.again(false),
            NewsKind::AgainLater => self.again(true),
            NewsKind::Failed => self.state = QueueState::Dead,
            NewsKind::Cancelled => self.state = QueueState::Cancelled,
        }
        self.state
    }
}

fn news_of(kind: NewsKind) -> WorkerNews {
    let reason = Failure::new(ErrorKind::UpstreamError, "no luck");
    match kind {
        NewsKind::Working => WorkerNews::Working,
        NewsKind::Completed => WorkerNews::Completed,
        NewsKind::AgainNow => WorkerNews::Again {
            not_before: Timestamp::from_millis(1),
            reason,
        },
        NewsKind::AgainLater => WorkerNews::Again {
            not_before: Timestamp::now().plus(MINUTE * 60),
            reason,
        },
        NewsKind::Failed => WorkerNews::Failed { reason },
        NewsKind::Cancelled => WorkerNews::Cancelled,
    }
}

fn queued(stream: &StreamId, number: usize, attempt: u32) -> QueuedStep {
    QueuedStep {
        attempt,
        max_attempts: MAX_ATTEMPTS,
        priority: i64::try_from(number).unwrap(),
        ..step(stream, &format!("s{number}"))
    }
}

async fn play(store: &DurableStore, history: &[Act]) {
    let stream = free_run(store, "history").await;
    let mut model = Model {
        n_events: 1,
        ..Model::default()
    };
    let mut leases: Vec<(StepLease, usize)> = Vec::new();
    let key = |step: &usize| StepKey::new(format!("s{step}"));
    for (at, act) in history.iter().enumerate() {
        let place = format!("act {at} of {history:#?}");
        match act {
            Act::Enqueue { steps, attempt } => {
                let new = steps
                    .iter()
                    .map(|step| queued(&stream, *step, *attempt))
                    .collect();
                assert_eq!(
                    enqueue(store, new).await,
                    model.enqueue(steps, *attempt),
                    "{place}"
                );
            }
            Act::Claim { max_steps, dies } => {
                let ttl = if *dies { Duration::ZERO } else { MINUTE };
                let claimed = claim(store, "w", *max_steps, ttl).await;
                assert_eq!(names(&claimed), model.claim(*max_steps, *dies), "{place}");
                let holder = model.n_claims;
                leases.extend(claimed.into_iter().map(|step| (step.lease, holder)));
            }
            Act::Settle { lease, news } => {
                let Some((lease, holder)) = leases.get(*lease) else {
                    continue;
                };
                let settled = store.settle_one(lease, news_of(*news), vec![note(at)]).await;
                match model.held(lease, *holder) {
                    Some(step) => {
                        let state = step.settle(*news);
                        model.n_events += 1;
                        assert_eq!(settled.unwrap().state, state, "{place}");
                    }
                    None => assert!(matches!(settled, Err(StoreError::Fenced { .. })), "{place}"),
                }
            }
            Act::Heartbeat { lease } => {
                let Some((lease, holder)) = leases.get(*lease) else {
                    continue;
                };
                let beat = store.heartbeat(vec![lease.clone()], MINUTE).await.unwrap()[0];
                let (is_alive, is_cancelled) = match model.held(lease, *holder) {
                    Some(step) => {
                        step.is_silent = false;
                        (true, step.is_cancelled)
                    }
                    None => (false, false),
                };
                let matches = match beat {
                    Heartbeat::Alive { .. } => is_alive && !is_cancelled,
                    Heartbeat::CancelRequested { .. } => is_alive && is_cancelled,
                    Heartbeat::Lost => !is_alive,
                };
                assert!(matches, "{beat:?} in {place}");
            }
            Act::Cancel { step } => {
                let states = store.cancel(&stream, &[key(step)]).await.unwrap();
                let known = model.steps.get_mut(step).map(|known| {
                    match known.state {
                        QueueState::Queued => known.state = QueueState::Cancelled,
                        QueueState::Running => known.is_cancelled = true,
                        QueueState::Completed | QueueState::Dead | QueueState::Cancelled => {}
                    }
                    known.state
                });
                assert_eq!(states, [known], "{place}");
            }
            Act::Retry { step } => {
                let is_again = store.retry(&stream, &key(step), 1).await.unwrap();
                let dead = model.steps.get_mut(step);
                let dead = dead.filter(|known| known.state == QueueState::Dead);
                assert_eq!(is_again, dead.is_some(), "{place}");
                if let Some(known) = dead {
                    known.max_attempts = known.attempt + 1;
                    known.again(false);
                }
            }
        }
        assert_eq!(
            store.counts(Some(&stream)).await.unwrap(),
            model.counts(),
            "{place}"
        );
    }
    assert_eq!(
        gap_free(&all(store, &stream).await),
        model.n_events,
        "{history:#?}"
    );
    // The next history finds nothing of this one.
    store.erase(&stream).await.unwrap();
}

pub(super) async fn any_history_matches_the_model(store: DurableStore) {
    let mut runner = TestRunner::default();
    let histories = prop::collection::vec(act(), 1..50);
    for _ in 0..N_HISTORIES {
        let history = histories.new_tree(&mut runner).unwrap().current();
        play(&store, &history).await;
    }
}
