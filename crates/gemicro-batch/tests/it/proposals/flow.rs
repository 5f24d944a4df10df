//! The run that proposes one test.

use gemicro_batch::coverage::CodeLanguage;
use gemicro_batch::proposal::{
    EarlierTest, Excerpt, MaterialInput, PatchProblem, PatchedFile, ProblemKind, ProposalAim,
    ProposalCheckInput, ProposalChecked, ProposalFlow, ProposalMaterial, ProposalPlan, TestPrompts,
    TestTrial, TriedTest,
};
use gemicro_core::llm::LlmConfig;
use gemicro_event::{ErrorKind, Failure};
use serde_json::{Value, json};

use super::Journal;
use super::material::range;
use crate::support::said;

fn plan() -> ProposalPlan {
    ProposalPlan {
        material: MaterialInput {
            directory: "/srv/project".to_owned(),
            target: "src/a.rs".to_owned(),
            aim: ProposalAim::Uncovered,
            reports: Vec::new(),
        },
        context: "it counts".to_owned(),
        earlier: None,
        leave: vec!["checks/*".to_owned()],
        trying: Some(TestTrial {
            command: "make test".to_owned(),
            timeout_ms: 1_000,
            variables: Vec::new(),
        }),
        max_rounds: 2,
        llm: LlmConfig::default(),
        prompts: TestPrompts {
            system: "s".to_owned(),
            propose: "propose for {{target}}".to_owned(),
            refine: "refine [{{patch}}] because [{{failure}}]".to_owned(),
        },
    }
}

/// A run that knows its material.
fn journal(plan: &ProposalPlan) -> Journal<ProposalFlow> {
    let mut journal = Journal::new(ProposalFlow, plan);
    let material = ProposalMaterial {
        target: "src/a.rs".to_owned(),
        language: CodeLanguage::Rust,
        import: None,
        lines: vec![range(2, 3)],
        excerpts: vec![Excerpt {
            first: 1,
            text: "a\nb\nc".to_owned(),
        }],
        neighbours: Vec::new(),
        layout: Vec::new(),
        warnings: vec!["the report is old".to_owned()],
    };
    journal.complete("material", &material);
    journal
}

fn files() -> Vec<PatchedFile> {
    vec![PatchedFile {
        path: "tests/a.rs".to_owned(),
        is_new: true,
        insertions: 3,
        deletions: 0,
    }]
}

/// A patch that applies, and how the tests went with it.
fn tried(patch: &str, exit_code: Option<i32>) -> ProposalChecked {
    ProposalChecked {
        patch: patch.to_owned(),
        files: files(),
        problem: None,
        tried: Some(TriedTest {
            exit_code,
            output: "printed".to_owned(),
        }),
    }
}

fn problem(kind: ProblemKind, patch: &str) -> ProposalChecked {
    ProposalChecked {
        patch: patch.to_owned(),
        files: Vec::new(),
        problem: Some(PatchProblem {
            kind,
            message: "it is no good".to_owned(),
        }),
        tried: None,
    }
}

/// What a run gives back, with these parts that differ.
fn result(
    patch: &str,
    verified: Option<bool>,
    failure: Option<&str>,
    rounds: u32,
    partial: Option<&str>,
) -> Value {
    json!({
        "answer": patch,
        "patch": patch,
        "files": files(),
        "target_file": "src/a.rs",
        "lines": "2-3",
        "applies": true,
        "verified": verified,
        "failure_output": failure,
        "test_output": verified.map(|_| "printed"),
        "rounds": rounds,
        "partial": partial,
        "warnings": ["the report is old"],
        "model": LlmConfig::default().model,
    })
}

fn check_result(journal: &Journal<ProposalFlow>, expected: Value) {
    let message = "A test for src/a.rs in tests/a.rs".to_owned();
    assert_eq!(journal.completed(), (message, expected));
}

fn prompt(journal: &Journal<ProposalFlow>, key: &str) -> String {
    journal.step(key).input["prompt"].as_str().unwrap().to_owned()
}

#[test]
fn a_good_patch_ends_the_run() {
    let mut journal = journal(&plan());
    assert_eq!(prompt(&journal, "propose:1"), "propose for src/a.rs");
    journal.complete("propose:1", &said("answer 1"));
    let check: ProposalCheckInput = journal.step("check:1").input.parse().unwrap();
    let expected = ProposalCheckInput {
        directory: "/srv/project".to_owned(),
        answer: "answer 1".to_owned(),
        leave: plan().leave,
        trying: plan().trying,
    };
    assert_eq!(check, expected);
    journal.complete("check:1", &tried("patch 1", Some(0)));
    check_result(&journal, result("patch 1", Some(true), None, 1, None));
    assert_eq!(
        journal.reported_since(1),
        [
            "step_started: Step material started",
            "step_completed: Step material completed",
            "test_material_gathered: Read src/a.rs; lines to cover: 2-3",
            "step_started: Step propose:1 started",
            "step_completed: Step propose:1 completed",
            &format!("test_proposed: {} proposed a test", LlmConfig::default().model),
            "step_started: Step check:1 started",
            "step_completed: Step check:1 completed",
            "test_checked: The test can be used",
        ]
    );
}

#[test]
fn a_patch_that_no_one_tries_is_not_called_verified() {
    let plan = ProposalPlan {
        trying: None,
        ..plan()
    };
    let mut journal = journal(&plan);
    journal.complete("propose:1", &said("answer 1"));
    let checked = ProposalChecked {
        tried: None,
        ..tried("patch 1", None)
    };
    journal.complete("check:1", &checked);
    check_result(&journal, result("patch 1", None, None, 1, None));
}

#[test]
fn what_was_wrong_is_reported_with_the_next_question() {
    // Where no patch was found, the answer is shown.
    for (checked, expected) in [
        (
            problem(ProblemKind::NoPatch, ""),
            "refine [answer 1] because [it is no good]",
        ),
        (
            problem(ProblemKind::NotATest, "patch 1"),
            "refine [answer 1] because [it is no good]",
        ),
        (
            tried("patch 1", Some(1)),
            "refine [answer 1] because [The tests ended with exit code 1.\nprinted]",
        ),
        (
            tried("patch 1", None),
            "refine [answer 1] because [The tests did not end in time.\nprinted]",
        ),
    ] {
        let mut journal = journal(&plan());
        journal.complete("propose:1", &said("answer 1"));
        journal.complete("check:1", &checked);
        assert_eq!(prompt(&journal, "propose:2"), expected);
        journal.complete("propose:2", &said("answer 2"));
        journal.complete("check:2", &tried("patch 2", Some(0)));
        check_result(&journal, result("patch 2", Some(true), None, 2, None));
    }
}

#[test]
fn a_refinement_begins_with_the_earlier_test() {
    let plan = ProposalPlan {
        earlier: Some(EarlierTest {
            patch: "old patch".to_owned(),
            failure: "old failure".to_owned(),
        }),
        ..plan()
    };
    let journal = journal(&plan);
    assert_eq!(
        prompt(&journal, "propose:1"),
        "refine [old patch] because [old failure]"
    );
}

#[test]
fn without_any_patch_the_run_fails() {
    let mut journal = journal(&plan());
    for round in [1, 2] {
        journal.complete(&format!("propose:{round}"), &said("sorry"));
        journal.complete(&format!("check:{round}"), &problem(ProblemKind::NoPatch, ""));
    }
    assert_eq!(
        journal.failed(),
        Failure::new(ErrorKind::MalformedOutput, "it is no good")
    );
}

#[test]
fn a_patch_whose_tests_fail_is_given_back_as_what_it_is() {
    let failure = "The tests ended with exit code 1.\nprinted";
    let mut last = journal(&plan());
    last.complete("propose:1", &said("answer 1"));
    last.complete("check:1", &problem(ProblemKind::NoPatch, ""));
    last.complete("propose:2", &said("answer 2"));
    last.complete("check:2", &tried("patch 2", Some(1)));
    check_result(
        &last,
        result("patch 2", Some(false), Some(failure), 2, Some(failure)),
    );
    // A later answer that is worse does not replace it.
    let mut first = journal(&plan());
    first.complete("propose:1", &said("answer 1"));
    first.complete("check:1", &tried("patch 1", Some(1)));
    first.complete("propose:2", &said("answer 2"));
    first.complete("check:2", &problem(ProblemKind::DoesNotApply, ""));
    check_result(
        &first,
        result("patch 1", Some(false), Some(failure), 2, Some("it is no good")),
    );
}

#[test]
fn what_is_there_survives_a_failing_step() {
    let failure = "The tests ended with exit code 1.\nprinted";
    let expected = |rounds| result("patch 1", Some(false), Some(failure), rounds, Some("it failed"));
    let begun = || {
        let mut journal = journal(&plan());
        journal.complete("propose:1", &said("answer 1"));
        journal.complete("check:1", &tried("patch 1", Some(1)));
        journal
    };
    let mut blocked = begun();
    blocked.fail("propose:2", ErrorKind::Blocked);
    check_result(&blocked, expected(1));
    let mut spent = begun();
    spent.refuse("propose:2");
    check_result(&spent, expected(1));
    let mut unchecked = begun();
    unchecked.complete("propose:2", &said("answer 2"));
    unchecked.fail("check:2", ErrorKind::SandboxUnavailable);
    check_result(&unchecked, expected(2));
}

#[test]
fn a_step_that_fails_first_fails_the_run() {
    let mut unread = Journal::new(ProposalFlow, &plan());
    unread.fail("material", ErrorKind::NotFound);
    assert_eq!(unread.failed(), Failure::new(ErrorKind::NotFound, "it failed"));
    let mut spent = journal(&plan());
    spent.refuse("propose:1");
    assert_eq!(
        spent.failed(),
        Failure::new(ErrorKind::BudgetExceeded, "it failed")
    );
    let mut denied = journal(&plan());
    denied.complete("propose:1", &said("answer 1"));
    denied.fail("check:1", ErrorKind::PermissionDenied);
    assert_eq!(
        denied.failed(),
        Failure::new(ErrorKind::PermissionDenied, "it failed")
    );
}
