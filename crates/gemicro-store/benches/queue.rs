//! Trivial steps through the queue, durable end to end, beside plain rows: `cargo bench -p gemicro-store --bench queue`.
//! Takes about 15 seconds.
//!
//! A step is queued, claimed, and completed with one fact in the journal of its run. The line to compare with is what
//! SQLite itself does with one small row per step in groups of 100, each group synced. The folder is
//! `GEMICRO_BENCH_DIR` or the system's temporary one. With `GEMICRO_BENCH_POSTGRES` (an address) the same runs there.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use gemicro_core::queue::{ClaimRequest, ClaimedStep, QueuedStep, Settlement, StepQueue, WorkerNews};
use gemicro_core::store::{NewEvent, NewStream, StepMark, Store, StreamKind};
use gemicro_event::{AgentUpdate, Charge, Json, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Executor};

type AnyError = Box<dyn Error + Send + Sync>;

/// Steps per line of the table.
const N_STEPS: usize = 10_000;

/// The bar: durable trivial steps a second on SQLite.
const BAR: f64 = 2500.0;

fn main() -> Result<(), AnyError> {
    let folder = match std::env::var_os("GEMICRO_BENCH_DIR") {
        Some(parent) => tempfile::tempdir_in(parent)?,
        None => tempfile::tempdir()?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(bench(folder.path()))
}

async fn bench(folder: &Path) -> Result<(), AnyError> {
    println!("folder {}", folder.display());
    println!("engine      workers  claim of  enqueue/s  claim + complete/s  end to end/s");
    let store = DurableStore::open(&folder.join("home")).await?;
    let mut best: f64 = 0.0;
    for (n_workers, n_claimed) in [(1, 1), (1, 100), (4, 100), (8, 10)] {
        best = best.max(line("SQLite", &store, n_workers, n_claimed).await?);
    }
    store.close().await;
    let plain = plain_rows(&folder.join("plain.db")).await?;
    println!("plain SQLite rows in groups of 100: {plain:.0}/s");
    let verdict = if best >= BAR { "held" } else { "MISSED" };
    println!(
        "best end to end {best:.0}/s, {:.2} of plain rows; the bar of {BAR:.0}/s is {verdict}",
        best / plain
    );
    if let Ok(address) = std::env::var("GEMICRO_BENCH_POSTGRES") {
        let store = DurableStore::connect(&address).await?;
        for (n_workers, n_claimed) in [(1, 100), (4, 100), (8, 10)] {
            line("PostgreSQL", &store, n_workers, n_claimed).await?;
        }
        store.close().await;
    }
    Ok(())
}

async fn line(
    engine: &str,
    store: &DurableStore,
    n_workers: usize,
    n_claimed: usize,
) -> Result<f64, AnyError> {
    // One at a time is slow on purpose; a tenth of the steps shows it.
    let n_steps = if n_claimed == 1 { N_STEPS / 10 } else { N_STEPS };
    let stream = create(store).await?;
    let queued = Instant::now();
    let steps: Vec<QueuedStep> = (0..n_steps).map(|n| step(&stream, n)).collect();
    for group in steps.chunks(1000) {
        store.enqueue(group.to_vec()).await?;
    }
    let queued = queued.elapsed();
    let worked = Instant::now();
    let workers: Vec<_> = (0..n_workers)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move { work(&store, &format!("worker {n}"), n_claimed).await })
        })
        .collect();
    let mut n_done = 0;
    for worker in workers {
        n_done += worker.await??;
    }
    let worked = worked.elapsed();
    if n_done != n_steps {
        return Err(format!("{n_done} of {n_steps} steps were done").into());
    }
    let end_to_end = rate(n_steps, queued + worked);
    println!(
        "{engine:<10}  {n_workers:>7}  {n_claimed:>8}  {:>9.0}  {:>18.0}  {end_to_end:>12.0}",
        rate(n_steps, queued),
        rate(n_steps, worked)
    );
    Ok(end_to_end)
}

async fn work(store: &DurableStore, worker: &str, n_claimed: usize) -> Result<usize, AnyError> {
    let mut n_done = 0;
    loop {
        let claim = ClaimRequest {
            worker: worker.to_owned(),
            kinds: vec!["trivial".to_owned()],
            max_steps: n_claimed,
            ttl: Duration::from_secs(60),
        };
        let claimed = store.claim(claim).await?;
        if claimed.is_empty() {
            return Ok(n_done);
        }
        n_done += claimed.len();
        for settled in store.settle(claimed.iter().map(completed).collect()).await {
            settled?;
        }
    }
}

fn completed(claimed: &ClaimedStep) -> Settlement {
    let lease = claimed.lease.clone();
    let update = AgentUpdate {
        event_type: "step_completed".into(),
        message: format!("Step {} completed", lease.step),
        timestamp: Timestamp::now(),
        data: Json::from(
            serde_json::json!({ "step": lease.step, "attempt": 1, "output": { "exit_code": 0 } }),
        ),
    };
    let mark = StepMark::Ended(lease.attempt);
    Settlement {
        events: vec![NewEvent::of_step(update, &lease.step, Some(mark))],
        news: WorkerNews::Completed,
        lease,
    }
}

fn step(stream: &StreamId, n: usize) -> QueuedStep {
    QueuedStep {
        stream: stream.clone(),
        step: StepKey::new(format!("task-{n}")),
        attempt: 1,
        max_attempts: 3,
        kind: "trivial".into(),
        provider: None,
        priority: 0,
        not_before: Timestamp::from_millis(0),
        charge: Charge::default(),
        data: Json::from(serde_json::json!({ "command": "true" })),
    }
}

async fn create(store: &DurableStore) -> Result<StreamId, AnyError> {
    let stream = StreamId::random();
    let started = AgentUpdate {
        event_type: "run_started".into(),
        message: "Run started".into(),
        timestamp: Timestamp::now(),
        data: Json::from(serde_json::json!({})),
    };
    let new = NewStream {
        stream: stream.clone(),
        kind: StreamKind::Run,
        parent_run: None,
        events: vec![NewEvent::of_run(started)],
        lease: None,
        board: Vec::new(),
    };
    store.create(new).await?;
    Ok(stream)
}

/// One small row per step, in synced groups of 100: what the disk and SQLite allow at this size.
async fn plain_rows(path: &Path) -> Result<f64, AnyError> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal);
    let mut connection = options.synchronous(SqliteSynchronous::Full).connect().await?;
    connection
        .execute("CREATE TABLE rows (no INTEGER PRIMARY KEY, step TEXT, data TEXT)")
        .await?;
    let started = Instant::now();
    for group in 0..N_STEPS / 100 {
        let mut transaction = connection.begin().await?;
        for n in 0..100 {
            sqlx::query("INSERT INTO rows (step, data) VALUES ($1, $2)")
                .bind(format!("task-{}", group * 100 + n))
                .bind(r#"{"command":"true"}"#)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
    }
    let rate = rate(N_STEPS, started.elapsed());
    connection.close().await?;
    Ok(rate)
}

fn rate(n_steps: usize, time: Duration) -> f64 {
    n_steps as f64 / time.as_secs_f64()
}
