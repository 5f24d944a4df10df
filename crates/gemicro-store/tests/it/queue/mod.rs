//! What the queue of steps promises on every engine. A test joins with one word in `contract!` below.

mod attempts;
mod claims;
mod limits;
mod model;
mod upkeep;
mod work;

use std::time::Duration;

use gemicro_core::queue::{ClaimRequest, ClaimedStep, QueuedStep, StepQueue};
use gemicro_core::store::{NewEvent, StepMark};
use gemicro_event::{Charge, Json, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use serde_json::json;

use crate::make::{MINUTE, of_step};

macro_rules! contract {
    ($($module:ident: $($test:ident),+;)+) => {
        mod sqlite {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let folder = crate::make::folder();
                    let store = crate::make::open(&folder.path().join("home")).await;
                    super::$module::$test(store.clone()).await;
                    store.close().await;
                }
            )+)+
        }

        mod postgres {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let server = crate::server::Server::start();
                    let store = server.store().await;
                    super::$module::$test(store.clone()).await;
                    store.close().await;
                }
            )+)+
        }
    };
}

contract! {
    claims: steps_come_by_priority_then_time_then_arrival, a_worker_gets_only_what_it_can_do,
        an_attempt_is_queued_once, an_attempt_is_offered_only_over_an_end_that_is_known, two_workers_never_get_the_same_step;
    attempts: a_completion_and_its_facts_are_one, news_of_a_lost_attempt_are_refused,
        a_dead_workers_steps_are_done_once, a_heartbeat_keeps_a_step, a_silent_worker_is_noticed_whatever_the_clock_says, a_failed_attempt_waits_for_its_time,
        a_step_that_kills_its_workers_becomes_a_dead_letter;
    limits: eight_workers_hold_the_number_at_once, eight_workers_hold_the_rate,
        a_full_provider_does_not_stop_the_others;
    upkeep: a_queued_step_is_cancelled_at_once_a_running_one_is_asked, a_dead_step_is_tried_again,
        the_end_of_a_run_empties_its_queue, an_erased_run_leaves_no_step;
    work: hundreds_of_completions_share_a_commit;
    model: any_history_matches_the_model;
}

/// A step that is due, of the sort `work`.
fn step(stream: &StreamId, key: &str) -> QueuedStep {
    QueuedStep {
        stream: stream.clone(),
        step: StepKey::new(key),
        attempt: 1,
        max_attempts: 3,
        kind: "work".to_owned(),
        provider: None,
        priority: 0,
        not_before: Timestamp::from_millis(0),
        charge: Charge {
            tokens: 5,
            micro_usd: 7,
            turns: 1,
            ..Charge::ZERO
        },
        data: Json::from(json!({ "do": key })),
    }
}

async fn enqueue(store: &DurableStore, steps: Vec<QueuedStep>) -> u64 {
    store.enqueue(steps).await.unwrap()
}

async fn claim(store: &DurableStore, worker: &str, max_steps: usize, ttl: Duration) -> Vec<ClaimedStep> {
    let claim = ClaimRequest {
        worker: worker.to_owned(),
        kinds: vec!["work".to_owned()],
        max_steps,
        ttl,
    };
    store.claim(claim).await.unwrap()
}

async fn claim_one(store: &DurableStore, worker: &str) -> ClaimedStep {
    let mut claimed = claim(store, worker, 1, MINUTE).await;
    claimed.pop().expect("a step is due")
}

fn names(claimed: &[ClaimedStep]) -> Vec<(String, u32)> {
    let name = |step: &ClaimedStep| (step.lease.step.to_string(), step.lease.attempt);
    claimed.iter().map(name).collect()
}

/// The fact that an attempt is done.
fn done(claimed: &ClaimedStep) -> Vec<NewEvent> {
    let mark = StepMark::Ended(claimed.lease.attempt);
    vec![of_step(claimed.lease.step.as_str(), mark)]
}

/// Type, step and attempt of every event about a step.
async fn events_of(store: &DurableStore, stream: &StreamId) -> Vec<(String, String)> {
    let events = crate::make::all(store, stream).await;
    let about = events.into_iter().filter_map(|event| {
        let step = event.step?.to_string();
        Some((event.update.event_type, step))
    });
    about.collect()
}
