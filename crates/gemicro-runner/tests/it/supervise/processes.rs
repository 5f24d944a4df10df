//! What runs on this machine, seen from outside.

use std::time::{Duration, Instant};

/// Long enough for any machine.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// How many `sleep`s have this text in their command line.
pub(crate) fn asleep(marker: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| {
            let line = String::from_utf8_lossy(line);
            line.contains("sleep") && line.contains(marker)
        })
        .count()
}

/// A time to sleep that no other test has.
pub(crate) fn marker(number: u32) -> String {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    format!("8639{number}.{}{count:04}", std::process::id())
}

/// Waits for something that another process does, and lets our own tasks go on.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + SOON;
    while !condition() {
        assert!(Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The same, but none of our own tasks can help.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + SOON;
    while Instant::now() < end {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Children of this process that ended and were not collected.
fn zombies() -> Vec<String> {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| {
            let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            let mut fields = rest.split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(&own)
        })
        .collect()
}

/// A keeper leaves after its last word; nobody else may be left to be collected.
pub(crate) async fn no_zombie_stays() {
    until("all children are collected", || zombies().is_empty()).await;
}

/// Runs one test in a process of its own, where nothing else uses memory or time. True in that process.
#[expect(clippy::print_stdout, reason = "what was measured is shown with --nocapture")]
pub(crate) fn is_alone(test: &str) -> bool {
    if std::env::var_os("ALONE").is_some() {
        return true;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("ALONE", "1")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    println!("{text}");
    false
}

/// Memory of this process that nobody shares, in KiB.
pub(crate) fn private_kib() -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    lines
        .filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok())
        .sum()
}
