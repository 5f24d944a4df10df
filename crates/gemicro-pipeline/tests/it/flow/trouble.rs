//! What goes wrong in a pipeline.

use gemicro_event::ErrorKind;
use gemicro_pipeline::steps::{Evidence, ImportStepResult, InitResult};
use gemicro_pipeline::workflow::PipelineMode;
use serde_json::json;

use super::in_hand::{
    COMMIT, PLAN, Pipeline, audited, begun, begun_on, counted, developed, evidence, outcomes, plan, planned,
    prepared, prompt, says, taken,
};

#[test]
fn a_claim_that_does_not_hold_is_reported_and_the_phase_entered_again() {
    let mut pipeline = begun(PipelineMode::Direct);
    says(&mut pipeline, "plan.1", &json!({ "plan_path": PLAN }));
    let faulty = ImportStepResult {
        faults: vec!["the plan has no section Detailed Logic".to_owned()],
        ..taken("tree-0")
    };
    pipeline.complete("plan.1:import", &faulty);
    assert!(prompt(&pipeline, "plan.2:agent.1").contains("no section Detailed Logic"));
    assert_eq!(outcomes(&pipeline), ["plan.1 again"]);
}

#[test]
fn what_an_answer_lacks_is_named() {
    for (payload, named, unnamed) in [
        (json!({}), "it needs `plan_path`, a path", "verdict"),
        (
            json!({ "plan_path": " " }),
            "it needs `plan_path`, a path",
            "verdict",
        ),
        (
            json!({ "plan_path": PLAN, "backlog_items": "later" }),
            "`backlog_items` must be",
            "plan_path",
        ),
        (
            json!({ "plan_path": PLAN, "feedback": ["first", "second"] }),
            r#"`feedback` must be a string or an object, not a list, and must not be empty with REJECT; write several points as one string, such as "feedback": "1. first point\n2."#,
            "plan_path",
        ),
    ] {
        let mut pipeline = begun(PipelineMode::Direct);
        says(&mut pipeline, "plan.1", &payload);
        let text = prompt(&pipeline, "plan.1:agent.2");
        let text = text
            .lines()
            .find(|line| line.contains("cannot be used: "))
            .unwrap();
        assert!(
            text.contains(named) && !text.contains(unnamed),
            "{payload}: {text}"
        );
    }
    // Of several fields those alone that are missing or say something else.
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    says(
        &mut pipeline,
        "implementation.1",
        &json!({ "commit_hash": "none", "status": "success" }),
    );
    let text = prompt(&pipeline, "implementation.1:agent.2");
    let text = text
        .lines()
        .find(|line| line.contains("cannot be used: "))
        .unwrap();
    assert!(text.contains("it needs `commit_hash`, 7 to 64"), "{text}");
    assert!(!text.contains("`status` \"success\""), "{text}");
}

#[test]
fn success_with_failing_checks_is_none() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    says(
        &mut pipeline,
        "implementation.1",
        &json!({ "commit_hash": COMMIT, "status": "success" }),
    );
    pipeline.complete("implementation.1:import", &taken("tree-1"));
    pipeline.complete("implementation.1:check", &evidence("tree-1", false));
    assert!(prompt(&pipeline, "implementation.2:agent.1").contains("exit code 1"));
}

#[test]
fn fewer_tests_than_on_the_base_are_a_fault() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    says(
        &mut pipeline,
        "implementation.1",
        &json!({ "commit_hash": COMMIT, "status": "success" }),
    );
    pipeline.complete("implementation.1:import", &taken("tree-1"));
    let mut fewer = evidence("tree-1", true);
    fewer.checks[0].verdict = gemicro_pipeline::evidence::CheckVerdict::Passed { n_tests: Some(2) };
    pipeline.complete("implementation.1:check", &fewer);
    assert!(prompt(&pipeline, "implementation.2:agent.1").contains("3 ran on the base"));
}

#[test]
fn another_test_program_in_the_place_of_that_of_the_base_is_a_fault() {
    let by = |family: &str, tree: &str| {
        let mut evidence = counted(tree, 3);
        evidence.checks[0].by_family = [(family.to_owned(), 3)].into();
        evidence
    };
    let base = InitResult {
        evidence: by("tap", "tree-0"),
        ..prepared()
    };
    let mut pipeline = begun_on(&plan(PipelineMode::Direct), &base);
    planned(&mut pipeline);
    let claim = json!({ "commit_hash": COMMIT, "status": "success" });
    says(&mut pipeline, "implementation.1", &claim);
    pipeline.complete("implementation.1:import", &taken("tree-1"));
    pipeline.complete("implementation.1:check", &by("phpunit", "tree-1"));
    let text = prompt(&pipeline, "implementation.2:agent.1");
    assert!(
        text.contains("3 tests counted by tap on the base and has 0 now, 3 by phpunit"),
        "{text}"
    );
}

/// What the checks say where a suite ran these tests.
fn naming(tree: &str, tests: &[&str]) -> Evidence {
    let mut evidence = counted(tree, tests.len().try_into().unwrap());
    evidence.checks[0].tests = tests.iter().map(|test| (*test).to_owned()).collect();
    evidence
}

/// The developer is done, and its checks ran these tests; on the base there were three.
fn developed_with(tests: &[&str]) -> Pipeline {
    checked_with(&naming("tree-1", tests))
}

/// The developer is done, and this is what its checks say; on the base three tests were named.
fn checked_with(evidence: &Evidence) -> Pipeline {
    let base = InitResult {
        evidence: naming("tree-0", &["a::adds", "a::takes", "b::halves"]),
        ..prepared()
    };
    let mut pipeline = begun_on(&plan(PipelineMode::Direct), &base);
    planned(&mut pipeline);
    let claim = json!({ "commit_hash": COMMIT, "status": "success" });
    says(&mut pipeline, "implementation.1", &claim);
    pipeline.complete("implementation.1:import", &taken("tree-1"));
    pipeline.complete("implementation.1:check", evidence);
    pipeline
}

#[test]
fn tests_that_are_not_named_any_more_are_reported() {
    let text = prompt(&checked_with(&counted("tree-1", 4)), "implementation.2:agent.1");
    assert!(
        text.contains("no longer prints its test names (it printed 3 on the base)"),
        "{text}"
    );
}

#[test]
fn tests_in_the_place_of_those_of_the_base_do_not_count() {
    let pipeline = developed_with(&["a::adds", "x::one", "x::two", "x::three"]);
    let text = prompt(&pipeline, "implementation.2:agent.1");
    assert!(
        text.contains("2 of the 3 tests that ran on the base are missing"),
        "{text}"
    );
    assert!(text.contains("(a::takes, b::halves)"), "{text}");
}

#[test]
fn tests_that_are_gone_are_handed_to_the_auditor() {
    let text = prompt(
        &developed_with(&["c::adds", "c::takes", "x::one"]),
        "audit.1:agent.1",
    );
    assert!(
        text.contains("tests_gone.txt`: tests that ran on the base"),
        "{text}"
    );
    // Those that were only moved are not gone.
    let text = prompt(
        &developed_with(&["c::adds", "c::takes", "c::halves"]),
        "audit.1:agent.1",
    );
    assert!(!text.contains("tests_gone.txt"), "{text}");
}

#[test]
fn success_beside_a_crash_is_refused() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    let claim =
        json!({ "commit_hash": COMMIT, "status": "success", "feedback": { "crash": "it crashed at exit" } });
    says(&mut pipeline, "implementation.1", &claim);
    pipeline.complete("implementation.1:import", &taken("tree-1"));
    assert!(prompt(&pipeline, "implementation.2:agent.1").contains("a success contradicts"));
}

#[test]
fn an_honest_failure_ends_the_task_with_its_reason() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    says(
        &mut pipeline,
        "implementation.1",
        &json!({ "status": "failed", "reason": "there is no compiler" }),
    );
    let failure = pipeline.failed();
    assert_eq!(failure.kind, ErrorKind::GateClosed);
    assert!(
        failure.message.contains("there is no compiler"),
        "{}",
        failure.message
    );
}

#[test]
fn refused_changes_are_reported_to_the_agent() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    developed(&mut pipeline, 1, "tree-1");
    let review = json!({ "verdict": "PASS", "review_path": "docs/dev_docs/reviews/r.md" });
    says(&mut pipeline, "audit.1", &review);
    pipeline.fail("audit.1:import", ErrorKind::ImportRefused);
    assert_eq!(outcomes(&pipeline).last().unwrap(), "audit.1 again");
    assert!(prompt(&pipeline, "audit.2:agent.1").contains("your changes were refused"));
}

#[test]
fn a_bound_ends_the_task_with_everything_kept() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    let rounds = 4;
    for round in 1..=rounds {
        developed(&mut pipeline, round, &format!("tree-{round}"));
        audited(&mut pipeline, round, "FAIL", &format!("tree-{round}"));
    }
    let failure = pipeline.failed();
    assert_eq!(failure.kind, ErrorKind::GateClosed);
    assert!(
        failure.message.contains("implementation was entered 4 times"),
        "{}",
        failure.message
    );
    // The bound ended it, and the verdict is not forgotten for that.
    let last = pipeline.state.decisions().last().unwrap();
    assert_eq!(
        (last.outcome.as_str(), last.verdict.as_deref()),
        ("stop", Some("FAIL"))
    );
}

#[test]
fn a_step_that_cannot_be_done_ends_the_task() {
    let mut pipeline = begun(PipelineMode::Direct);
    pipeline.fail("plan.1:agent.1", ErrorKind::IdleTimeout);
    assert_eq!(pipeline.failed().kind, ErrorKind::IdleTimeout);
}
