//! Rounds that go well.

use gemicro_batch::ooda::{ObserveInput, TrialInput};
use gemicro_batch::proposal::{MaterialInput, ProposalAim};
use gemicro_core::llm::LlmConfig;
use serde_json::json;

use super::loop_in_hand::{accepted, gap, observation, observed, plan, propose, range, taken};
use crate::proposals::Journal;
use gemicro_batch::ooda::{OodaFlow, OodaPlan};

#[test]
fn the_loop_begins_with_a_measurement() {
    let journal = Journal::new(OodaFlow, &plan());
    let input: ObserveInput = journal.step("observe").input.parse().unwrap();
    let expected = ObserveInput {
        directory: "/srv/project".to_owned(),
        branch: "task/tests".to_owned(),
        commands: plan().commands,
    };
    assert_eq!(input, expected);
}

#[test]
fn a_target_that_is_reached_ends_the_loop_at_once() {
    let plan = OodaPlan {
        target: 50.0,
        ..plan()
    };
    let (message, data) = observed(&plan, &[1, 11]).completed();
    assert_eq!(message, "Coverage 50.0 % → 50.0 %: the target of 50 % is reached");
    let figures = json!({ "lines": 20, "covered": 10, "percent": 50.0 });
    let expected = json!({
        "answer": "File        Before     After\nsrc/a.rs    50.0 %    50.0 %\nTotal       50.0 %    50.0 %",
        "stopped": "target",
        "stopped_because": "the target of 50 % is reached",
        "target": 50.0,
        "target_reached": true,
        "before": figures,
        "after": figures,
        "files": [{ "path": "src/a.rs", "before": figures, "after": figures }],
        "taken": [],
        "rejected": [],
        "rounds": 0,
        "branch": "task/tests",
        "commit": "commit-10",
        "worktree": null,
    });
    assert_eq!(data, expected);
}

#[test]
fn the_policy_takes_the_first_gap() {
    let mut journal = observed(&plan(), &[1, 11]);
    let input: MaterialInput = journal.step("material:1").input.parse().unwrap();
    let expected = MaterialInput {
        directory: "/srv/private".to_owned(),
        target: "src/a.rs".to_owned(),
        aim: ProposalAim::Lines(vec![range(1)]),
        reports: Vec::new(),
    };
    assert_eq!(input, expected);
    propose(&mut journal, 1, 1);
    let input: TrialInput = journal.step("trial:1.1").input.parse().unwrap();
    let now = observation(10, &[1, 11]);
    let expected = TrialInput {
        place: ObserveInput {
            directory: "/srv/project".to_owned(),
            branch: "task/tests".to_owned(),
            commands: plan().commands,
        },
        answer: "answer 1".to_owned(),
        gap: gap(1),
        uncovered: now.uncovered,
        covered: 10,
        test_ms: 40,
        mutants: 3,
    };
    assert_eq!(input, expected);
}

#[test]
fn one_round_is_reported_in_these_events() {
    let mut journal = observed(&plan(), &[1, 11]);
    accepted(&mut journal, 1, 1, observation(18, &[11]));
    let proposed = format!("test_proposed: {} proposed a test", LlmConfig::default().model);
    assert_eq!(
        journal.reported_since(1),
        [
            "step_started: Step observe started",
            "step_completed: Step observe completed",
            "ooda_observed: Observe: 50.0 % covered, 10 of 20 lines",
            "ooda_oriented: Orient: 2 gaps, the first is src/a.rs:1-3",
            "step_started: Step material:1 started",
            "ooda_decided: Decide: src/a.rs:1-3 (policy: the first that is open)",
            "step_completed: Step material:1 completed",
            "test_material_gathered: Read src/a.rs; lines to cover: 1-3",
            "step_started: Step propose:1.1 started",
            "step_completed: Step propose:1.1 completed",
            proposed.as_str(),
            "step_started: Step trial:1.1 started",
            "step_completed: Step trial:1.1 completed",
            "ooda_acted: Act: a test for src/a.rs:1-3 was taken; 3 more lines are covered",
            "ooda_observed: Observe: 90.0 % covered, 18 of 20 lines",
            "ooda_oriented: Orient: 1 gap, src/a.rs:11-13",
        ]
    );
    let (message, data) = journal.completed();
    assert_eq!(message, "Coverage 50.0 % → 90.0 %: the target of 90 % is reached");
    let before = json!({ "lines": 20, "covered": 10, "percent": 50.0 });
    let after = json!({ "lines": 20, "covered": 18, "percent": 90.0 });
    let trial = taken(observation(18, &[11]));
    let expected = json!({
        "answer": "File        Before     After\nsrc/a.rs    50.0 %    90.0 %\nTotal       50.0 %    90.0 %",
        "stopped": "target",
        "stopped_because": "the target of 90 % is reached",
        "target": 90.0,
        "target_reached": true,
        "before": before,
        "after": after,
        "files": [{ "path": "src/a.rs", "before": before, "after": after }],
        "taken": [{
            "gap": "src/a.rs:1-3", "files": trial.files, "newly_covered": 3, "mutations": trial.mutations,
            "commit": "commit-18",
        }],
        "rejected": [],
        "rounds": 1,
        "branch": "task/tests",
        "commit": "commit-18",
        "worktree": "/srv/tree",
    });
    assert_eq!(data, expected);
}

#[test]
fn the_next_round_begins_with_what_the_trial_measured() {
    let mut journal = observed(&plan(), &[1, 11]);
    accepted(&mut journal, 1, 1, observation(13, &[11]));
    propose(&mut journal, 2, 11);
    let input: TrialInput = journal.step("trial:2.1").input.parse().unwrap();
    assert_eq!((input.gap, input.covered), (gap(11), 13));
}

#[test]
fn a_target_that_is_nearly_reached_does_not_look_reached() {
    let plan = OodaPlan {
        target: 100.0,
        ..plan()
    };
    let mut journal = Journal::new(OodaFlow, &plan);
    let mut nearly = observation(9_999, &[]);
    nearly.totals.lines = 10_000;
    nearly.files[0].lines = 10_000;
    journal.complete("observe", &nearly);
    let (message, data) = journal.completed();
    assert_eq!(message, "Coverage 99.9 % → 99.9 %: no further test was found");
    assert_eq!(
        (&data["after"]["percent"], &data["target_reached"]),
        (&json!(99.99), &json!(false))
    );
    assert!(!data["answer"].as_str().unwrap().contains("100"));
    // A percentage is told as it is, to the last digit.
    let mut odd = observation(435, &[]);
    odd.totals.lines = 10_000;
    let mut journal = Journal::new(OodaFlow, &plan);
    journal.complete("observe", &odd);
    assert_eq!(journal.completed().1["after"]["percent"], json!(4.35));
}
