//! What one judgement costs inside a process: `cargo bench -p gemicro-guard`. Takes a few seconds.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use gemicro_guard::hook::{HookFormat, judge};
use gemicro_guard::policy::PolicyConfig;
use serde_json::{Value, json};

const CASES: &str = include_str!("../tests/policy/firewall-cases.jsonl");
const ROUNDS: usize = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let config = PolicyConfig::default();
    let mut requests = Vec::new();
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line)?;
        let request = json!({"tool": case["tool"], "command": case["command"], "args": case["args"],
            "worktree": "/nowhere/task/wt"});
        requests.push(request.to_string());
    }
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        for request in &requests {
            let started_at = Instant::now();
            black_box(judge(
                &config,
                Some(HookFormat::Neutral),
                black_box(request),
                None,
            ));
            // The first round warms up.
            if round > 0 {
                times.push(started_at.elapsed());
            }
        }
    }
    times.sort();
    let at = |part: usize| micros(times[(times.len() * part / 100).min(times.len() - 1)]);
    println!(
        "one check in process: median {}, p95 {}, most {}, n {} ({} requests)",
        at(50),
        at(95),
        at(100),
        times.len(),
        requests.len()
    );
    Ok(())
}

fn micros(time: Duration) -> String {
    format!("{:.0} µs", time.as_secs_f64() * 1e6)
}
