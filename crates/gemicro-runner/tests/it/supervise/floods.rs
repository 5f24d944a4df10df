//! Output without end: memory stays flat, files stay small, what is dropped is counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gemicro_event::ErrorKind;
use gemicro_runner::AgentItem;
use gemicro_runner::supervise::RunLimits;

use super::processes::{is_alone, private_kib, until};
use super::tiers::{all_tiers, tiers};
use super::world::{DONE, HELLO, Run, World, failure, read};

const MIB: u64 = 1 << 20;
/// Unoptimised code is slow, and the sizes prove the same as long as they are more than what is kept.
const FLOOD: u64 = if cfg!(debug_assertions) {
    20 * MIB
} else {
    100 * MIB
};

#[tokio::test]
async fn a_flood_is_read_and_dropped() {
    if !is_alone("supervise::floods::a_flood_is_read_and_dropped") {
        return;
    }
    for (tier, mode) in all_tiers() {
        let world = World::new(&format!(
            "{HELLO}\nyes | head -c {FLOOD}; yes | head -c {FLOOD} >&2{DONE}"
        ));
        let before = private_kib();
        let (outcome, _) = world
            .run(Run {
                mode,
                ..Run::new(tier)
            })
            .await;
        let record = outcome.record;
        assert_eq!(outcome.result.unwrap().text, "hello", "{tier}: {record:?}");
        assert!(record.stdout.n_bytes > FLOOD && record.stderr.n_bytes == FLOOD);
        for stream in [&record.stdout, &record.stderr] {
            let file = stream.file.as_ref().unwrap();
            assert_eq!(std::fs::metadata(file).unwrap().len(), 16 * MIB);
            assert_eq!(stream.n_dropped, stream.n_bytes - 16 * MIB);
        }
        let grown = private_kib().saturating_sub(before);
        assert!(grown < 16 * 1024, "{tier}: {grown} KiB");
        println!(
            "{tier}: {} MiB in {} ms, {grown} KiB more",
            2 * FLOOD / MIB,
            record.duration_ms
        );
        let kept = read(record.stdout.file.unwrap());
        assert!(kept.starts_with("{\"type\":\"init\"") && kept.trim_end().ends_with("}}"));
    }
}

#[tokio::test]
async fn a_giant_line_is_skipped() {
    if !is_alone("supervise::floods::a_giant_line_is_skipped") {
        return;
    }
    for (tier, mode) in all_tiers() {
        let world = World::new(&format!(
            "head -c {} /dev/zero | tr '\\0' x; echo\n{HELLO}{DONE}",
            5 * FLOOD
        ));
        let before = private_kib();
        let (outcome, seen) = world
            .run(Run {
                mode,
                ..Run::new(tier)
            })
            .await;
        let grown = private_kib().saturating_sub(before);
        assert_eq!(outcome.result.unwrap().text, "hello", "{tier}");
        let is_alarm =
            |item: &AgentItem| matches!(item, AgentItem::Alarm { kind, .. } if kind == "line_too_long");
        assert!(seen.items.iter().any(is_alarm));
        assert!(grown < 16 * 1024, "{tier}: {grown} KiB");
        println!(
            "{tier}: a line of {} MiB in {} ms, {grown} KiB more",
            5 * FLOOD / MIB,
            outcome.record.duration_ms
        );
    }
}

/// A flood that never stops is life, and the total limit ends it.
#[tokio::test]
async fn an_endless_flood_ends_with_its_time() {
    if !is_alone("supervise::floods::an_endless_flood_ends_with_its_time") {
        return;
    }
    for (tier, mode) in all_tiers() {
        let world = World::new("trap '' TERM; while true; do yes; done");
        let run = Run {
            mode,
            limits: RunLimits {
                total: Duration::from_secs(2),
                grace: Duration::from_millis(200),
                ..RunLimits::default()
            },
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        assert_eq!(failure(&outcome).kind, ErrorKind::Timeout, "{tier}");
        assert!(outcome.record.duration_ms < 6000, "{tier}: {:?}", outcome.record);
        assert_eq!(outcome.record.survivors, Some(0));
    }
}

/// Fifty at once are cheap for us: no thread, no large buffer each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_at_once_are_cheap() {
    if !is_alone("supervise::floods::fifty_at_once_are_cheap") {
        return;
    }
    let tier = tiers()[0];
    let script =
        format!("mktemp started.XXXXXX > /dev/null\n{HELLO}\nuntil [ -e all ]; do sleep 0.1; done\n{DONE}");
    let world = Arc::new(World::new(&script));
    let warm = World::new(&format!("{HELLO}{DONE}"));
    warm.run(Run::new(tier)).await.0.result.unwrap();
    let (before, n_threads) = (private_kib(), threads());
    let cpu = own_cpu_ms();
    let start = Instant::now();
    let mut runs = tokio::task::JoinSet::new();
    for number in 0..50 {
        let world = Arc::clone(&world);
        let mut run = Run::new(tier);
        run.limits.idle = run.limits.total;
        runs.spawn(async move { world.run_numbered(run, number).await });
    }
    let n_started = || {
        let names = std::fs::read_dir(world.path("wt")).unwrap().flatten();
        names
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("started."))
            .count()
    };
    until("all fifty have started", || n_started() == 50).await;
    let (grown, n_more_threads) = (private_kib().saturating_sub(before), threads() - n_threads);
    std::fs::write(world.path("wt/all"), "").unwrap();
    while let Some(outcome) = runs.join_next().await {
        let outcome = outcome.unwrap();
        assert_eq!(outcome.result.as_ref().unwrap().text, "hello", "{outcome:?}");
        assert_eq!(outcome.record.survivors, Some(0));
    }
    let cpu = own_cpu_ms() - cpu;
    println!(
        "50 agents in {:?}: {grown} KiB, {n_more_threads} more threads, {} ms of our CPU each",
        start.elapsed(),
        cpu / 50
    );
    assert!(grown < 50 * 1024, "{grown} KiB");
    assert!(n_more_threads < 8, "{n_more_threads}");
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// CPU time of this process, its children's not among it.
fn own_cpu_ms() -> u64 {
    let stat = read("/proc/self/stat");
    let rest = stat.rsplit_once(')').unwrap().1;
    // `utime` and `stime`, the 12th and 13th field after the name.
    let all: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks: u64 = all[11].parse::<u64>().unwrap() + all[12].parse::<u64>().unwrap();
    ticks * 10
}
