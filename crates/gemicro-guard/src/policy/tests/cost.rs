//! What a decision costs, printed rather than asserted.

use super::cases::{reference, rules};
use super::shell;
use crate::policy::{PolicyConfig, check};

/// Processor time of this thread, in microseconds.
fn cpu_us() -> u128 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u128::try_from(time.tv_sec).unwrap() * 1_000_000 + u128::try_from(time.tv_nsec).unwrap() / 1000
}

#[test]
fn cost_of_a_decision() {
    let mut costs = Vec::new();
    for (_, call) in reference() {
        let start = cpu_us();
        let _ = check(&PolicyConfig::default(), &call);
        costs.push((cpu_us() - start, call.tool));
    }
    for (_, command) in rules() {
        let start = cpu_us();
        let _ = shell(&command);
        costs.push((cpu_us() - start, command));
    }
    let first = costs[0].0;
    costs.sort();
    let n = costs.len();
    println!(
        "{n} decisions, CPU: first {first} µs, median {} µs, 99 % {} µs, most {} µs ({:?})",
        costs[n / 2].0,
        costs[n * 99 / 100].0,
        costs[n - 1].0,
        costs[n - 1].1
    );
    let big = format!(
        "cat > x.txt <<'EOF'\n{}EOF",
        "a line of an ordinary file\n".repeat(3000)
    );
    let start = cpu_us();
    assert!(shell(&big).is_allowed());
    println!(
        "a here-document of {} KiB: {} µs",
        big.len() / 1024,
        cpu_us() - start
    );
}

#[test]
fn nothing_deep_or_long_crashes() {
    for text in [
        "(".repeat(50_000),
        "$(".repeat(20_000),
        "{ ".repeat(20_000),
        format!("{}ls{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("{}git push", "env ".repeat(20_000)),
        format!("{}git push", "timeout 5 ".repeat(5_000)),
        // Ended the process before the scanner was kept from such characters.
        "git push {\u{41e3d}".to_owned(),
        "git push {\u{10ffff}..3}".to_owned(),
        "a".repeat(1 << 20),
        format!("echo {}", "\"$(echo ".repeat(3_000)),
        "if true; then ".repeat(5_000),
        "f() { f; f; f; }; f; f; f".to_owned(),
    ] {
        assert!(
            !shell(&text).is_allowed() || text.starts_with("f()") || text.starts_with('a'),
            "{text:.60}"
        );
    }
}
