//! A run that goes on from an earlier one is held against the base that the branch began with.

use std::collections::BTreeMap;

use gemicro_event::{ErrorKind, StreamId};
use gemicro_pipeline::flow::PipelineFlow;
use gemicro_pipeline::phase_decided::PhaseDecided;
use gemicro_pipeline::plan::{CarriedWork, LastMerge};
use gemicro_pipeline::steps::{
    AgentWork, DeliverInput, HandoverContent, ImportStepResult, InitResult, IntendedBranch, MergeOutcome,
    MergeResult,
};
use gemicro_pipeline::workflow::PipelineMode;

use super::in_hand::{BASE, PLAN, counted, merged, outcomes, plan, prepared, prompt, says, taken};
use super::journal::Journal;

/// A run that came as far as this phase, with an approved plan and three tests on its base.
fn earlier(phase: &str) -> CarriedWork {
    CarriedWork {
        run: StreamId::random(),
        phase: phase.to_owned(),
        base: BASE.to_owned(),
        on_base: counted("tree-0", 3),
        tree: None,
        merge: None,
        documents: BTreeMap::from([("plan".to_owned(), PLAN.to_owned())]),
        written: BTreeMap::from([(PLAN.to_owned(), "approved".to_owned())]),
        rounds: BTreeMap::new(),
        from: None,
        feedback: None,
        decided: Vec::new(),
    }
}

#[test]
fn tests_that_went_missing_before_are_still_missed() {
    let mut plan = plan(PipelineMode::Direct);
    plan.earlier = Some(earlier("implementation"));
    let mut pipeline = Journal::new(PipelineFlow, &plan);
    let found = InitResult {
        evidence: counted("tree-1", 2),
        ..prepared()
    };
    pipeline.complete("init", &found);
    let claim = serde_json::json!({ "commit_hash": super::in_hand::COMMIT, "status": "success" });
    says(&mut pipeline, "implementation.1", &claim);
    pipeline.complete("implementation.1:import", &taken("tree-2"));
    pipeline.complete("implementation.1:check", &counted("tree-2", 2));
    assert_eq!(outcomes(&pipeline).last().unwrap(), "implementation.1 again");
    let text = prompt(&pipeline, "implementation.2:agent.1");
    assert!(text.contains("only 2 tests ran, but 3 ran on the base"), "{text}");
    // What the checks said about the base is known to the next run, too.
    assert_eq!(pipeline.state.branch().unwrap().evidence, counted("tree-0", 3));
}

#[test]
fn what_no_one_reviews_again_must_be_as_it_was_reviewed() {
    let mut plan = plan(PipelineMode::Direct);
    plan.earlier = Some(CarriedWork {
        tree: Some("tree-1".to_owned()),
        ..earlier("delivery")
    });
    let found = |tree: &str| InitResult {
        evidence: counted(tree, 3),
        ..prepared()
    };
    let mut pipeline = Journal::new(PipelineFlow, &plan);
    pipeline.complete("init", &found("tree-1"));
    assert_eq!(pipeline.state.current().unwrap().0.name, "delivery");
    let mut pipeline = Journal::new(PipelineFlow, &plan);
    pipeline.complete("init", &found("tree-2"));
    assert!(pipeline.state.current().is_none());
}

#[test]
fn what_main_brought_before_is_still_not_the_tasks() {
    let mut plan = plan(PipelineMode::Direct);
    let main = "c".repeat(40);
    let held = LastMerge::Held(MergeResult {
        main: IntendedBranch {
            commit: main.clone(),
            ..prepared().main
        },
        ..merged(MergeOutcome::Merged, "tree-1")
    });
    for (merge, from) in [(None, BASE), (Some(held), main.as_str())] {
        plan.earlier = Some(CarriedWork {
            merge,
            ..earlier("audit")
        });
        let mut pipeline = Journal::new(PipelineFlow, &plan);
        pipeline.complete("init", &prepared());
        let step = pipeline.step("audit.1:agent.1");
        let work: AgentWork = step.input.parse().unwrap();
        let diffs = work.handover.iter().filter_map(|it| match &it.content {
            HandoverContent::Diff { from } => Some(from.as_str()),
            HandoverContent::Text { .. } => None,
        });
        assert_eq!(diffs.collect::<Vec<_>>(), [from]);
    }
}

/// A merge with conflicts that was tried on this commit, as plans write it.
fn written_merge(new: &str, is_merging: bool, is_unresolved: bool) -> serde_json::Value {
    let merged = MergeResult {
        new: new.to_owned(),
        ..merged(MergeOutcome::Conflict, "tree-1")
    };
    serde_json::json!({ "merged": merged, "is_merging": is_merging, "is_unresolved": is_unresolved })
}

#[test]
fn the_last_merge_is_written_in_the_fields_of_older_plans() {
    let plain = serde_json::to_value(earlier("audit")).unwrap();
    for (is_merging, is_unresolved, expected) in [
        (true, true, LastMerge::Pending as fn(MergeResult) -> LastMerge),
        (false, true, LastMerge::Refused),
        (false, false, LastMerge::Held),
    ] {
        let mut text = plain.clone();
        let fields = written_merge(BASE, is_merging, is_unresolved);
        let fields = fields.as_object().unwrap().clone();
        text.as_object_mut().unwrap().extend(fields);
        let read: CarriedWork = serde_json::from_value(text.clone()).unwrap();
        let merged = serde_json::from_value(text["merged"].clone()).unwrap();
        assert_eq!(read.merge, Some(expected(merged)));
        assert_eq!(serde_json::to_value(read).unwrap(), text);
    }
    // The first plans had none of them.
    let mut old = plain;
    for name in ["is_merging", "is_unresolved"] {
        old.as_object_mut().unwrap().remove(name).unwrap();
    }
    let read: CarriedWork = serde_json::from_value(old).unwrap();
    assert_eq!(read.merge, None);
}

#[test]
fn a_refused_merge_that_an_older_version_left_on_the_branch_is_not_reviewed() {
    let conflict = |new: &str| MergeResult {
        new: new.to_owned(),
        ..merged(MergeOutcome::Conflict, "tree-0")
    };
    let elsewhere = "9".repeat(40);
    for (phase, merge, is_entered) in [
        ("audit", LastMerge::Refused(conflict(&elsewhere)), false),
        (
            "conflict_resolution",
            LastMerge::Refused(conflict(&elsewhere)),
            true,
        ),
        // It was taken back.
        ("audit", LastMerge::Refused(conflict(BASE)), true),
        // Somebody changed the branch: a review sees that, the one who resolves does not.
        ("audit", LastMerge::Pending(conflict(&elsewhere)), true),
        (
            "conflict_resolution",
            LastMerge::Pending(conflict(&elsewhere)),
            false,
        ),
        ("conflict_resolution", LastMerge::Pending(conflict(BASE)), true),
    ] {
        let mut plan = plan(PipelineMode::Direct);
        plan.earlier = Some(CarriedWork {
            merge: Some(merge.clone()),
            ..earlier(phase)
        });
        let mut pipeline = Journal::new(PipelineFlow, &plan);
        pipeline.complete("init", &prepared());
        let entered = pipeline.state.current().map(|(phase, _)| phase.name.as_str());
        assert_eq!(entered, is_entered.then_some(phase), "{merge:?}");
        if !is_entered {
            assert_eq!(pipeline.failed().kind, ErrorKind::GateClosed, "{merge:?}");
            assert_eq!(pipeline.state.last_merge(), Some(&merge));
        }
    }
}

#[test]
fn a_merge_is_held_once_what_the_agent_made_of_it_has_no_fault() {
    let mut plan = plan(PipelineMode::Direct);
    let pending = LastMerge::Pending(MergeResult {
        new: BASE.to_owned(),
        ..merged(MergeOutcome::Conflict, "tree-0")
    });
    plan.earlier = Some(CarriedWork {
        merge: Some(pending.clone()),
        ..earlier("conflict_resolution")
    });
    let mut pipeline = Journal::new(PipelineFlow, &plan);
    pipeline.complete("init", &prepared());
    let claim = serde_json::json!({ "commit_hash": super::in_hand::COMMIT, "status": "success" });
    says(&mut pipeline, "conflict_resolution.1", &claim);
    pipeline.fail("conflict_resolution.1:import", ErrorKind::ImportRefused);
    assert_eq!(pipeline.state.last_merge(), Some(&pending));
    // Older versions moved the branch before they judged.
    says(&mut pipeline, "conflict_resolution.2", &claim);
    let faulty = ImportStepResult {
        faults: vec!["hello.sh is not as git merges it".to_owned()],
        ..taken("tree-1")
    };
    pipeline.complete("conflict_resolution.2:import", &faulty);
    let is_refused = |merge: &LastMerge| matches!(merge, LastMerge::Refused(_));
    assert!(pipeline.state.last_merge().is_some_and(is_refused));
    says(&mut pipeline, "conflict_resolution.3", &claim);
    pipeline.complete("conflict_resolution.3:import", &taken("tree-2"));
    let is_held = |merge: &LastMerge| matches!(merge, LastMerge::Held(_));
    assert!(pipeline.state.last_merge().is_some_and(is_held));
}

#[test]
fn only_what_comes_after_every_review_is_delivered_without_one() {
    let workflow = plan(PipelineMode::Direct).workflow;
    let unreviewed = workflow.phases.iter().map(|phase| phase.name.as_str());
    let unreviewed: Vec<&str> = unreviewed
        .filter(|name| workflow.delivers_unreviewed(name))
        .collect();
    assert_eq!(unreviewed, ["integration", "delivery"]);
}

#[test]
fn the_request_reports_what_every_run_decided() {
    let decided = |run: &str, phase: &str, outcome: &str| PhaseDecided {
        run: StreamId::try_from(run.to_owned()).unwrap(),
        phase: phase.to_owned(),
        round: 1,
        outcome: outcome.to_owned(),
        is_gate: false,
        verdict: None,
        said_by: None,
        why: None,
        document: None,
    };
    let mut plan = plan(PipelineMode::Direct);
    plan.task = format!("FIRST {}LAST", "word ".repeat(20_000));
    plan.earlier = Some(CarriedWork {
        decided: vec![
            PhaseDecided {
                why: Some("It closes #1 | @all".to_owned()),
                ..decided("run-a", "B plan_review", "REJECT")
            },
            PhaseDecided {
                verdict: Some("FAIL".to_owned()),
                ..decided("run-a", "C audit", "stop")
            },
            PhaseDecided {
                is_gate: true,
                said_by: Some("ada".to_owned()),
                ..decided("run-b", "C implementation", "yes")
            },
        ],
        tree: Some("tree-1".to_owned()),
        ..earlier("delivery")
    });
    let mut pipeline = Journal::new(PipelineFlow, &plan);
    let found = InitResult {
        evidence: counted("tree-1", 3),
        ..prepared()
    };
    pipeline.complete("init", &found);
    pipeline.complete("delivery.1:check", &counted("tree-1", 3));
    pipeline.complete("delivery.1:record", &super::in_hand::recorded("tree-1"));
    let input: DeliverInput = pipeline.step("delivery.1:deliver").input.parse().unwrap();
    assert!(input.body.chars().count() <= 65_536);
    assert!(input.body.contains("> FIRST word") && input.body.contains("word LAST"));
    let (_, text) = input.body.split_once("## What was decided\n").unwrap();
    let (text, _) = text.split_once("\n## Checks").unwrap();
    assert_eq!(
        text,
        "\nIn run run-a:\n\n\
         | Phase | Round | Outcome | Why | Document |\n| --- | --- | --- | --- | --- |\n\
         | B plan_review | 1 | REJECT | `It closes #1 \\| @all` | – |\n\
         | C audit | 1 | said FAIL: stop | – | – |\n\
         \nIn run run-b:\n\n\
         | Phase | Round | Outcome | Why | Document |\n| --- | --- | --- | --- | --- |\n\
         | C implementation | 1 | `ada` answered yes before this phase | – | – |\n"
    );
}
