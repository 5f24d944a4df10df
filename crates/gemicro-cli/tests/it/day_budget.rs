//! The budget of a day: over all runs of a store, whoever starts them.

use std::process::Child;

use gemicro_sim::scenario::ScenarioEndpoint;
use serde_json::Value;

use crate::program::World;
use crate::simulated::{Simulated, research, until};

/// The rules of a run that waits at its first call.
fn held() -> String {
    let decompose = "  - { name: held, when: { prompt_contains: '\"sub_queries\"' }, reply: { json: { sub_queries: \
                     ['What is part 1 of it?'] }, gate: { name: held, after_chunks: 0 } } }\n";
    format!("{decompose}{}", research(1))
}

fn runs(simulated: &Simulated) -> Vec<Value> {
    let listed = simulated.world.must(&["runs", "--format", "jsonl"]).stdout;
    listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The token limit of the newest run.
fn limit(simulated: &Simulated) -> u64 {
    simulated.event("run_started")["data"]["limits"]["tokens"]
        .as_u64()
        .unwrap()
}

#[test]
fn each_run_gets_what_the_runs_before_it_left() {
    let simulated = Simulated::new(&research(1));
    let first = simulated.ask(&["--day-budget", "200k"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert_eq!(limit(&simulated), 200_000);
    let spent = runs(&simulated)[0]["spent"]["tokens"].as_u64().unwrap();
    assert!(spent > 0);

    let second = simulated.ask(&["--day-budget", "200k"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(limit(&simulated), 200_000 - spent);
    // A limit of its own that is smaller stays.
    assert_eq!(
        simulated.ask(&["--day-budget", "200k", "--budget", "50k"]).code,
        0
    );
    assert_eq!(limit(&simulated), 50_000);

    let n_asked = simulated.requests(ScenarioEndpoint::Interactions).len();
    let set = simulated.world.command(&["research", "--no-web", "What is it?"]);
    let mut set = set;
    set.env("GEMINI_API_KEY", "x")
        .env("GEMICRO_DAY_BUDGET", spent.to_string());
    let refused = simulated.world.finish(set.output().unwrap());
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("day budget")
            && refused.stderr.contains("00:00 UTC")
            && refused.stderr.contains("with --day-budget"),
        "{}",
        refused.stderr
    );
    assert_eq!(simulated.requests(ScenarioEndpoint::Interactions).len(), n_asked);
    // What asks no model needs no budget.
    assert_eq!(
        simulated
            .world
            .ask("How high is the lighthouse?", &["--day-budget", "1"])
            .code,
        0
    );
}

#[test]
fn a_run_that_the_day_cuts_short_says_when_the_day_ends() {
    let simulated = Simulated::new(&research(1));
    let cut = simulated.ask(&["--day-budget", "100"]);
    assert_eq!(cut.code, 5, "{}", cut.stderr);
    assert!(
        cut.stderr.contains("only 100 left for this run") && cut.stderr.contains("00:00 UTC"),
        "{}",
        cut.stderr
    );
    let shown = simulated.world.must(&["show", "last"]).stdout;
    assert!(shown.contains("day budget (100)"), "{shown}");
}

#[test]
fn runs_that_begin_at_once_never_take_the_same_rest() {
    let simulated = Simulated::new(&held());
    let start = |_| -> Child {
        let mut command = simulated.command(&[
            "research",
            "--no-web",
            "--day-budget",
            "60k",
            "--budget",
            "20k",
            "What is it?",
        ]);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut started: Vec<Child> = (0..6).map(start).collect();
    simulated.reached("held", 3);
    let refused = until("three refusals", || {
        let codes = started.iter_mut().filter_map(|it| it.try_wait().unwrap());
        let codes: Vec<Option<i32>> = codes.map(|status| status.code()).collect();
        (codes.len() == 3).then_some(codes)
    });
    assert_eq!(refused, [Some(5), Some(5), Some(5)]);
    assert_eq!(runs(&simulated).len(), 3);
    simulated.running.gates().open("held");
    let codes: Vec<Option<i32>> = started.iter_mut().map(|it| it.wait().unwrap().code()).collect();
    assert_eq!(
        codes.iter().filter(|code| **code == Some(0)).count(),
        3,
        "{codes:?}"
    );
    // What they did not use is free again.
    assert_eq!(simulated.ask(&["--day-budget", "60k"]).code, 0);
}

#[test]
fn a_run_that_was_killed_keeps_what_it_took_until_it_is_ended() {
    let simulated = Simulated::new(&held());
    let watched = simulated.start_asking(&["--day-budget", "50k"]);
    simulated.reached("held", 1);
    watched.signal(rustix::process::Signal::KILL);
    assert_eq!(watched.wait(&simulated.world).code, -1);
    simulated.running.gates().open("held");
    let refused = simulated.ask(&["--day-budget", "50k"]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert_eq!(simulated.call(&["cancel", "last"]).code, 0);
    let next = simulated.ask(&["--day-budget", "50k"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
}

#[test]
fn a_project_cannot_set_it_and_time_is_no_part_of_it() {
    let simulated = Simulated::new(&research(1));
    std::fs::write(
        simulated.world.path("gemicro.toml"),
        "[state]\nday_budget = \"1M\"\n",
    )
    .unwrap();
    let refused = simulated.ask(&[]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    std::fs::remove_file(simulated.world.path("gemicro.toml")).unwrap();
    for wrong in ["10m", "5turns", "much", "0"] {
        assert_eq!(simulated.ask(&["--day-budget", wrong]).code, 2, "{wrong}");
    }
    let priceless = simulated.ask(&["--day-budget", "$5", "--model", "gemini-3.5-flash"]);
    assert_eq!(priceless.code, 2, "{}", priceless.stderr);
    assert!(
        priceless.stderr.contains("no price is known"),
        "{}",
        priceless.stderr
    );
}

#[test]
fn only_commands_that_can_spend_show_the_day_budget() {
    let world = World::new();
    for command in [
        "research", "ask", "chat", "run", "ooda", "serve", "mcp", "resume", "retry",
    ] {
        let help = world.must(&[command, "--help"]).stdout;
        assert_eq!(help.matches("--day-budget").count(), 1, "{command}: {help}");
    }
    for command in ["runs", "show", "doctor", "config", "events", "prune"] {
        let help = world.must(&[command, "--help"]).stdout;
        assert!(!help.contains("--day-budget"), "{command}: {help}");
    }
    assert_eq!(world.call(&["--day-budget", "1k", "runs"]).code, 2);
    // Given before a command that takes it, it holds all the same.
    let shown = world.must(&["--day-budget", "1k", "config", "show"]).stdout;
    assert!(shown.contains("1,000 tokens") || shown.contains("1k"), "{shown}");
}
