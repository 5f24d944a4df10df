//! A batch of 10,000 trivial tasks through the engine, durable on SQLite: `cargo bench -p gemicro-engine --bench batch`.
//!
//! The model answers at once, in this process; everything else is what `gemicro batch submit` does: plan, journal,
//! board, driver. Beside the rate: what a poll of the whole answer takes while the batch runs and after it, and how
//! much memory it all needs. The folder is `GEMICRO_BENCH_DIR` or the system's temporary one.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gemicro_core::budget::Limits;
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::llm::{Backends, GEMINI, GateConfig, LlmConfig};
use gemicro_engine::{
    BatchRequest, BatchSettings, BatchStatus, Batches, BoardPage, Engine, EngineConfig, LocalRunService,
    read_batch,
};
use serde_json::json;

type AnyError = Box<dyn Error + Send + Sync>;

/// Tasks of the batch.
const N_TASKS: usize = 10_000;
/// The bar: durable trivial tasks a second, from submit to the last state.
const BAR: f64 = 2500.0;
/// The bar for a poll.
const POLL_BAR: Duration = Duration::from_millis(20);

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

async fn bench(folder: &std::path::Path) -> Result<(), AnyError> {
    println!("folder {}", folder.display());
    let limits = GateConfig {
        max_concurrent: 1024,
        ..GateConfig::default()
    };
    let model = Arc::new(ScriptedModel::new(Part::Echo));
    let engine = Engine::open(EngineConfig {
        agents: None,
        store: None,
        home: folder.join("home"),
        owner: "the bench".to_owned(),
        program: "gemicro bench".to_owned(),
        llm: Backends::default().with(GEMINI, model, limits),
        fetch: Default::default(),
        reader: None,
        secrets: Vec::new(),
        share_sources: false,
        max_parallel: 128,
        resident: false,
        credentials: String::new(),
        day_budget: gemicro_core::budget::Limits::NONE,
        notify: None,
    })
    .await?;
    let batches = Batches::new(Arc::new(LocalRunService::new(engine.clone())));
    for n_tasks in [N_TASKS / 10, N_TASKS, N_TASKS] {
        line(&batches, folder, n_tasks).await?;
    }
    engine.store().close().await;
    Ok(())
}

async fn line(batches: &Batches, folder: &std::path::Path, n_tasks: usize) -> Result<(), AnyError> {
    let tasks: Vec<_> = (0..n_tasks)
        .map(|n| json!({ "task_id": format!("t{n}"), "type": "prompt", "parameters": { "prompt": "say hello" } }))
        .collect();
    let body = serde_json::to_vec(&tasks)?;
    let begun = Instant::now();
    let request = BatchRequest {
        batch: read_batch(&body)?,
        settings: BatchSettings {
            llm: LlmConfig::default(),
            directory: folder.display().to_string(),
            agent_idle_ms: 1,
            agent_total_ms: 1,
            coverage_reports: Vec::new(),
        },
        limits: Limits::NONE,
    };
    let first = batches.submit(request).await?;
    let submitted = begun.elapsed();
    let mut polls = Vec::new();
    loop {
        let at = Instant::now();
        let answer = batches.poll(&first.response_id, BoardPage::ALL).await?;
        polls.push(at.elapsed());
        if answer.counts.total != n_tasks as u64 {
            return Err("a poll lost tasks".into());
        }
        if answer.status != BatchStatus::Pending {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    batches.wait(&first.response_id, None, BoardPage::ALL).await?;
    let all = begun.elapsed();
    let (mut after, mut printed) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        let at = Instant::now();
        let answer = batches.poll(&first.response_id, BoardPage::ALL).await?;
        after.push(at.elapsed());
        serde_json::to_vec(&answer)?;
        printed.push(at.elapsed());
    }
    after.sort_unstable();
    printed.sort_unstable();
    polls.sort_unstable();
    let rate = n_tasks as f64 / all.as_secs_f64();
    let median = after[after.len() / 2];
    println!(
        "{n_tasks} tasks: first answer {submitted:.0?}, all {all:.2?}, {rate:.0} tasks/s (bar {BAR:.0}: {}); \
         poll while it runs median {:.1?}, after it {median:.1?} (bar {POLL_BAR:?}: {}), written as JSON {:.1?}; \
         memory {} MiB",
        verdict(rate >= BAR),
        polls[polls.len() / 2],
        verdict(median < POLL_BAR),
        printed[printed.len() / 2],
        peak_mib()?,
    );
    Ok(())
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

/// The most memory that this process had so far.
fn peak_mib() -> Result<u64, AnyError> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    Ok(kib.unwrap_or_default() / 1024)
}
