//! Workers in processes of their own on one database, one of which is killed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use gemicro_core::queue::{ClaimRequest, ProviderLimit, QueuedStep, StepQueue};
use gemicro_core::store::StepMark;
use gemicro_event::{Charge, Json, StepKey, StreamId, Timestamp};
use gemicro_store::PostgresStore;
use serde_json::json;

use crate::make::{all, free_run, gap_free, of_step};
use crate::server::{Server, address};
use crate::sqlite::{child, child_arguments};

const N_STEPS: usize = 24;
const LEASE: Duration = Duration::from_secs(2);

/// Kills its worker when the test ends early.
struct Worker(Child);

impl Worker {
    fn start(folder: &Path, name: &str) -> Self {
        let mut command = child("postgres::workers::child_works", folder, name);
        Self(command.stdout(Stdio::piped()).spawn().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Says every step it takes; the first worker never finishes any, as if each took long.
#[tokio::test]
#[ignore = "a child of the test below"]
async fn child_works() {
    let Some((folder, name)) = child_arguments() else {
        return;
    };
    let store = PostgresStore::connect(&address(&folder)).await.unwrap();
    let mut held = Vec::new();
    loop {
        let claim = ClaimRequest {
            worker: name.clone(),
            kinds: vec!["work".to_owned()],
            max_steps: 3,
            ttl: LEASE,
        };
        for step in store.claim(claim).await.unwrap() {
            let mut stdout = std::io::stdout().lock();
            writeln!(stdout, "took {} {}", step.lease.step, step.lease.attempt).unwrap();
            stdout.flush().unwrap();
            held.push(step);
        }
        let leases = held.iter().map(|step| step.lease.clone()).collect();
        store.heartbeat(leases, LEASE).await.unwrap();
        if name != "first" {
            for step in held.drain(..) {
                let done = of_step(step.lease.step.as_str(), StepMark::Ended(step.lease.attempt));
                store.complete(&step.lease, vec![done]).await.unwrap();
            }
        }
        // The pace of a worker that looks for work, not a way to wait for anything.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Steps with their attempts, as a worker takes them, until there are enough.
fn taken(worker: &mut Worker, n_steps: usize) -> Vec<(String, u32)> {
    let stdout = worker.0.stdout.as_mut().unwrap();
    let mut lines = BufReader::new(stdout).lines();
    let mut taken = Vec::new();
    while taken.len() < n_steps {
        let line = lines.next().expect("the worker works").unwrap();
        // The first word may follow the name of the test on its line.
        let word = line
            .split_once("took ")
            .and_then(|(_, rest)| rest.split_once(' '));
        if let Some((step, attempt)) = word {
            taken.push((step.to_owned(), attempt.parse().unwrap()));
        }
    }
    taken
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_workers_steps_are_taken_over_and_none_is_done_twice() {
    let server = Server::start();
    let store = server.store().await;
    let stream = free_run(&store, "spread").await;
    // The provider's limit leaves work for the second worker while the first holds its share.
    let limit = ProviderLimit {
        provider: "gemini".to_owned(),
        max_running: Some(8),
        per_minute: None,
    };
    store.set_limit(limit).await.unwrap();
    let steps = (0..N_STEPS).map(|n| queued(&stream, n)).collect();
    assert_eq!(store.enqueue(steps).await.unwrap(), N_STEPS as u64);

    let mut first = Worker::start(server.folder(), "first");
    let orphans = taken(&mut first, 6);
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let killed_at = Timestamp::now();
    let n_held = store.counts(Some(&stream)).await.unwrap().running;
    assert!((6..=8).contains(&n_held), "{n_held} held by the dead");

    let mut second = Worker::start(server.folder(), "second");
    let done = tokio::task::spawn_blocking(move || {
        let taken = taken(&mut second, N_STEPS);
        (taken, second)
    });
    let (taken_over, second) = done.await.unwrap();
    for (step, _) in &orphans {
        assert!(
            taken_over.contains(&(step.clone(), 2)),
            "{step} was not taken over: {taken_over:?}"
        );
    }
    // The last facts are written after the last word.
    let mut followed = gemicro_core::store::Store::subscribe(&store, &stream, 0);
    let mut n_done: BTreeMap<String, usize> = BTreeMap::new();
    while n_done.len() < N_STEPS {
        let event = futures_util::StreamExt::next(&mut followed)
            .await
            .unwrap()
            .unwrap();
        if event.update.event_type == "step_completed" {
            *n_done.entry(event.step.unwrap().to_string()).or_default() += 1;
        }
    }
    drop(second);
    let events = all(&store, &stream).await;
    gap_free(&events);
    let lost: Vec<_> = events
        .iter()
        .filter(|event| event.update.event_type == "step_lost")
        .collect();
    assert_eq!(lost.len() as u64, n_held);
    for event in lost {
        let late = event.update.timestamp.since(killed_at);
        assert!(
            late <= LEASE + Duration::from_secs(2),
            "taken over after {late:?}"
        );
    }
    let completed = events
        .iter()
        .filter(|event| event.update.event_type == "step_completed");
    assert_eq!(completed.count(), N_STEPS);
    assert_eq!(
        store.counts(Some(&stream)).await.unwrap().completed,
        N_STEPS as u64
    );
}

fn queued(stream: &StreamId, n: usize) -> QueuedStep {
    QueuedStep {
        stream: stream.clone(),
        step: StepKey::new(format!("s{n}")),
        attempt: 1,
        max_attempts: 3,
        kind: "work".to_owned(),
        provider: Some("gemini".to_owned()),
        priority: 0,
        not_before: Timestamp::from_millis(0),
        charge: Charge::default(),
        data: Json::from(json!({})),
    }
}
