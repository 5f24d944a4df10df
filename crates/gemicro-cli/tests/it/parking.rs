//! A limit of the provider that has a stated end: the run waits for it by itself, and can be stopped meanwhile.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::simulated::{Simulated, Watched, research};

/// Calls whose prompt has this part meet a limit once.
fn limited(part: &str, seconds: u32) -> Simulated {
    let limit = format!(
        "  - {{ name: limit, when: {{ prompt_contains: '{part}' }}, times: 1, \
         fault: {{ rate_limit: {{ seconds: {seconds}, announce: body, envelope: rpc }} }} }}\n"
    );
    Simulated::new(&format!("{limit}{}", research(3)))
}

/// The report meets a limit: nothing else is under way then.
fn limited_report(seconds: u32) -> Simulated {
    limited("Findings:", seconds)
}

/// A run that is parked.
fn parked(simulated: &Simulated) -> Watched {
    let mut watched = simulated.start_asking(&[]);
    watched.until_event("run_parked");
    watched
}

#[test]
fn a_parked_run_says_so_sends_nothing_and_continues_by_itself() {
    let simulated = limited("Question: What is part 2 of it?", 6);
    let watched = parked(&simulated);
    let world = &simulated.world;
    let listed = world.must(&["runs"]).stdout;
    assert!(listed.contains("parked"), "{listed}");
    let shown = world.must(&["show", "last"]).stdout;
    for part in [
        "· parked",
        "parked until 20",
        "too many requests",
        "gemicro resume",
        "gemicro cancel",
    ] {
        assert!(shown.contains(part), "no `{part}`: {shown}");
    }
    let called = watched.wait(world);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let until = simulated.event("run_parked")["data"]["until"].clone();
    let woken = simulated.event("run_woken")["timestamp"].clone();
    let until: gemicro_event::Timestamp = serde_json::from_value(until).unwrap();
    let woken: gemicro_event::Timestamp = serde_json::from_value(woken).unwrap();
    let log = simulated.running.log().entries();
    let refused = log.iter().find(|it| it.status == Some(429)).unwrap();
    assert!(
        until.since(refused.at) >= Duration::from_secs(5),
        "too short a wait"
    );
    assert!(
        woken.since(until) < Duration::from_secs(2),
        "woken at {woken}, not at {until}"
    );
    // Calls that were under way may end; new ones come after the limit.
    let sent = log
        .iter()
        .filter(|it| it.number > refused.number && it.at < until);
    let answers = sent.filter(|it| it.rule.as_deref() != Some("answer"));
    assert_eq!(answers.count(), 0, "{log:#?}");
    assert_eq!((simulated.posts("limit"), simulated.posts("answer")), (1, 3));
    let again = log
        .iter()
        .rfind(|it| it.prompt.contains("Question: What is part 2"));
    assert!(again.unwrap().at >= until);
}

#[test]
fn a_parked_run_that_was_killed_is_resumed_and_waits_on() {
    // Longer than the lease of a dead process.
    let simulated = limited_report(13);
    let watched = parked(&simulated);
    watched.signal(Signal::KILL);
    assert_eq!(watched.wait(&simulated.world).code, -1);
    let until = simulated.event("run_parked")["data"]["until"].clone();
    let until: gemicro_event::Timestamp = serde_json::from_value(until).unwrap();
    let n_before = simulated.running.log().entries().len();
    let resumed = simulated.call(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert!(resumed.stderr.contains("Parked until"), "{}", resumed.stderr);
    let log = simulated.running.log().entries();
    assert!(log[n_before..].iter().all(|it| it.at >= until), "{log:#?}");
    let posts = ["answer", "limit", "synthesize"].map(|rule| simulated.posts(rule));
    assert_eq!(posts, [3, 1, 1]);
}

#[test]
fn ctrl_c_suspends_a_parked_run_and_cancel_ends_it() {
    let simulated = limited_report(600);
    let world = &simulated.world;
    let watched = parked(&simulated);
    watched.signal(Signal::INT);
    let called = watched.wait(world);
    assert_eq!(called.code, 130, "{}", called.stderr);
    assert!(called.stderr.contains("gemicro resume"), "{}", called.stderr);
    let listed = world.must(&["runs", "--format", "json"]).stdout;
    let rows: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(rows[0]["status"], "suspended");

    let mut resumed = simulated.start(&["resume", "last", "--format", "jsonl"]);
    resumed.until_event("run_resumed");
    resumed.until_event("run_parked");
    let since = Instant::now();
    let cancelled = world.must(&["cancel", "last"]);
    assert!(cancelled.stderr.contains("is cancelled"), "{}", cancelled.stderr);
    let called = resumed.wait(world);
    assert_eq!(called.code, 130, "{}", called.stderr);
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
    let posts = ["answer", "limit", "synthesize"].map(|rule| simulated.posts(rule));
    assert_eq!(posts, [3, 1, 0]);
}

#[test]
fn a_time_limit_that_is_shorter_than_the_wait_delivers_what_there_is() {
    let simulated = limited_report(600);
    let called = simulated.ask(&["--max-duration", "4s", "--format", "json"]);
    assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
    let result: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(result["metadata"]["sub_queries_succeeded"], 3);
    let partial = result["partial"].as_str().unwrap_or_default();
    assert!(partial.contains("time limit"), "{result}");
}

#[test]
fn a_time_limit_with_nothing_to_deliver_is_a_failure_in_time() {
    let limit = "  - fault: { rate_limit: { seconds: 600, announce: body, envelope: rpc } }\n";
    let simulated = Simulated::new(limit);
    let called = simulated.ask(&["--max-duration", "3s"]);
    assert_eq!(called.code, 5, "{}", called.stderr);
    assert!(called.stderr.contains("time limit"), "{}", called.stderr);
}
