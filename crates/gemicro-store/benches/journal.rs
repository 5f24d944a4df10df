//! Durable appends beside the raw fsync floor: `cargo bench -p gemicro-store`. Takes about 15 seconds.
//!
//! The folder is `GEMICRO_BENCH_DIR` or the system's temporary one; a figure says nothing about another disk.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gemicro_core::store::{Append, NewEvent, NewStream, Store, StreamKind, Writer};
use gemicro_event::{AgentUpdate, Json, StreamId, Timestamp};
use gemicro_store::SqliteStore;

type AnyError = Box<dyn Error + Send + Sync>;

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
    let opened = Instant::now();
    SqliteStore::open(&folder.join("home")).await?.close().await;
    println!(
        "first open and close         {:>10.2} ms",
        millis(opened.elapsed())
    );
    let opened = Instant::now();
    let store = SqliteStore::open(&folder.join("home")).await?;
    println!(
        "open again                   {:>10.2} ms",
        millis(opened.elapsed())
    );
    println!();
    println!("appenders  events/append   fsyncs/s    groups/s  events/group    events/s   of the floor");
    for (n_appenders, n_events) in [(1, 1), (8, 1), (64, 1), (256, 1), (64, 16)] {
        // Disks have moods: the floor is measured on both sides of each line.
        let before = raw_fsync_rate(folder, Duration::from_millis(400))?;
        let line = appenders(&store, n_appenders, n_events, Duration::from_millis(1500)).await?;
        let after = raw_fsync_rate(folder, Duration::from_millis(400))?;
        let fsyncs = f64::midpoint(before, after);
        let share = line.events_per_second / (fsyncs * line.events_per_group);
        println!(
            "{n_appenders:>9}  {n_events:>13}  {fsyncs:>9.0}  {:>10.0}  {:>12.1}  {:>10.0}  {share:>13.2}",
            line.events_per_second / line.events_per_group,
            line.events_per_group,
            line.events_per_second,
        );
    }
    println!();
    let floor = raw_fsync_rate(folder, Duration::from_millis(400))?;
    let (mut appends, mut visible) = latencies(&store, Duration::from_millis(2000)).await?;
    println!(
        "single appender: append        p50 {:>7.2} ms   p99 {:>7.2} ms",
        at(&mut appends, 50),
        at(&mut appends, 99)
    );
    println!(
        "append to visible              p50 {:>7.2} ms   p99 {:>7.2} ms",
        at(&mut visible, 50),
        at(&mut visible, 99)
    );
    println!(
        "the bar for it: 2 fsyncs + 2 ms    {:>7.2} ms",
        2000.0 / floor + 2.0
    );
    store.close().await;
    Ok(())
}

struct Line {
    events_per_second: f64,
    events_per_group: f64,
}

async fn appenders(
    store: &SqliteStore,
    n_appenders: usize,
    n_events: usize,
    time: Duration,
) -> Result<Line, AnyError> {
    let n_groups_before = store.n_groups();
    let started = Instant::now();
    let tasks: Vec<_> = (0..n_appenders)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let stream = create(&store).await?;
                let mut n_appended = 0;
                while started.elapsed() < time {
                    let events = (0..n_events).map(|_| event()).collect();
                    let append = Append {
                        stream: stream.clone(),
                        writer: Writer::Outside,
                        events,
                        board: Vec::new(),
                    };
                    n_appended += store.append(append).await?.events.len();
                }
                Ok::<usize, AnyError>(n_appended)
            })
        })
        .collect();
    let mut n_total = 0;
    for task in tasks {
        n_total += task.await??;
    }
    let n_groups = store.n_groups() - n_groups_before;
    Ok(Line {
        events_per_second: n_total as f64 / started.elapsed().as_secs_f64(),
        events_per_group: n_total as f64 / n_groups.max(1) as f64,
    })
}

/// Times in milliseconds from the call to its answer, and to the subscriber.
async fn latencies(store: &SqliteStore, time: Duration) -> Result<(Vec<f64>, Vec<f64>), AnyError> {
    let stream = create(store).await?;
    let mut events = store.subscribe(&stream, 1);
    let started = Instant::now();
    let follower = tokio::spawn(async move {
        let mut seen = Vec::new();
        while let Some(Ok(_)) = events.next().await {
            seen.push(started.elapsed());
        }
        seen
    });
    let (mut sent, mut appends) = (Vec::new(), Vec::new());
    while started.elapsed() < time {
        sent.push(started.elapsed());
        let append = Append {
            stream: stream.clone(),
            writer: Writer::Outside,
            events: vec![event()],
            board: Vec::new(),
        };
        store.append(append).await?;
        appends.push(millis(
            started.elapsed() - *sent.last().unwrap_or(&Duration::ZERO),
        ));
    }
    let end = NewEvent::of_run(AgentUpdate {
        event_type: "final_result".into(),
        ..event().update
    });
    let append = Append {
        stream,
        writer: Writer::Outside,
        events: vec![end],
        board: Vec::new(),
    };
    store.append(append).await?;
    let seen = follower.await?;
    Ok((
        appends,
        sent.iter()
            .zip(&seen)
            .map(|(sent, seen)| millis(*seen - *sent))
            .collect(),
    ))
}

async fn create(store: &SqliteStore) -> Result<StreamId, AnyError> {
    let stream = StreamId::random();
    let new = NewStream {
        stream: stream.clone(),
        kind: StreamKind::Run,
        parent_run: None,
        events: vec![event()],
        lease: None,
        board: Vec::new(),
    };
    store.create(new).await?;
    Ok(stream)
}

fn event() -> NewEvent {
    NewEvent::of_run(AgentUpdate {
        event_type: "sub_query_completed".into(),
        message: "Sub-query 3 completed".into(),
        timestamp: Timestamp::now(),
        data: Json::from(serde_json::json!({
            "id": 3,
            "result": "The ferry to the island leaves at half past seven on weekdays and at nine on Sundays.",
            "tokens_used": 1234,
        })),
    })
}

fn raw_fsync_rate(folder: &Path, time: Duration) -> Result<f64, AnyError> {
    let path = folder.join("fsync");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let block = [7u8; 4096];
    let started = Instant::now();
    let mut n_syncs = 0u32;
    while started.elapsed() < time {
        file.write_all(&block)?;
        file.sync_data()?;
        n_syncs += 1;
    }
    let rate = f64::from(n_syncs) / started.elapsed().as_secs_f64();
    std::fs::remove_file(path)?;
    Ok(rate)
}

fn at(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values
        .get((values.len() * percent / 100).min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
