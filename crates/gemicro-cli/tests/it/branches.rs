//! Many branches at once: what is done is seen at once, and a hundred need hardly more than ten.

use gemicro_event::Timestamp;

use crate::simulated::{Simulated, Watched, research, until};

#[test]
fn the_first_answer_is_printed_before_the_second_is_there() {
    let held = |n: usize| {
        format!(
            "  - {{ name: part {n}, when: {{ prompt_contains: 'Question: What is part {n} of it?' }}, reply: \
             {{ persona: researcher, delay: {{ first_ms: 300 }}, gate: {{ name: part {n} }} }} }}\n"
        )
    };
    let simulated = Simulated::new(&format!("{}{}{}{}", held(1), held(2), held(3), research(3)));
    let mut watched = simulated.start_asking(&[]);
    for part in ["part 1", "part 2", "part 3"] {
        simulated.reached(part, 1);
    }
    simulated.running.gates().open("part 1");
    let completed = watched.until_event("sub_query_completed");
    assert_eq!(completed["data"]["id"], 0);
    // The others have not even begun to answer.
    let gates = simulated.running.gates();
    assert_eq!((gates.n_waiting("part 2"), gates.n_waiting("part 3")), (1, 1));
    gates.open("part 3");
    assert_eq!(watched.until_event("sub_query_completed")["data"]["id"], 2);
    assert_eq!(gates.n_waiting("part 2"), 1);
    gates.open("part 2");
    let called = watched.wait(&simulated.world);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("final_result"));
}

/// What a run needed.
#[derive(Debug)]
struct Needed {
    /// The most memory it ever had, in KiB.
    peak_kib: u64,
    n_threads: u64,
    /// From the first branch's start to the last one's end, in milliseconds.
    branches_ms: u128,
}

/// Runs so many branches of 300 ms and 64 KiB each.
fn measure(n_branches: usize) -> Needed {
    let long = "An answer of sixty-four bytes, again and again, to be heard... ".repeat(1_024);
    let answers = format!(
        "  - {{ name: long, when: {{ prompt_contains: '\"citations\"' }}, reply: {{ json: {{ answer: 'Part of \
         it.', citations: [], notes: '{long}' }}, chunks: {{ sizes: [2048] }}, delay: {{ first_ms: 300 }} }} }}\n"
    );
    let simulated = Simulated::new(&format!("{answers}{}", research(n_branches)));
    let n_queries = n_branches.to_string();
    let mut watched = simulated.start_asking(&["--max-queries", &n_queries, "--max-tokens", "65536"]);
    let (mut peak_kib, mut n_threads) = (0, 0);
    until("the end of the run", || {
        peak_kib = peak_kib.max(in_status(&watched, "VmHWM:"));
        n_threads = n_threads.max(in_status(&watched, "Threads:"));
        watched.has_ended().then_some(())
    });
    let called = watched.wait(&simulated.world);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let events = simulated.events();
    let of_kind = |kind: &str| -> Vec<Timestamp> {
        let found = events.iter().filter(|event| event["event_type"] == kind);
        found
            .map(|event| serde_json::from_value(event["timestamp"].clone()).unwrap())
            .collect()
    };
    let (started, completed) = (of_kind("sub_query_started"), of_kind("sub_query_completed"));
    assert_eq!((started.len(), completed.len()), (n_branches, n_branches));
    assert_eq!(simulated.posts("long"), n_branches);
    Needed {
        peak_kib,
        n_threads,
        branches_ms: completed[n_branches - 1].since(started[0]).as_millis(),
    }
}

/// A number in the kernel's word about a process; 0 when it is gone.
fn in_status(watched: &Watched, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", watched.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[test]
fn a_hundred_branches_need_hardly_more_than_ten() {
    let (ten, hundred) = (measure(10), measure(100));
    println!("ten: {ten:?}, a hundred: {hundred:?}");
    assert!(
        hundred.peak_kib < ten.peak_kib + 40 * 1_024,
        "ten: {ten:?}, a hundred: {hundred:?}"
    );
    assert!(hundred.n_threads < 40, "{hundred:?}");
    // One after the other they would take 30 s.
    assert!(hundred.branches_ms < 15_000, "{hundred:?}");
}
