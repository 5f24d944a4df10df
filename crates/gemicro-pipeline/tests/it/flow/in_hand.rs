//! A pipeline in the hand: its plan, and what its steps give back.

use std::collections::BTreeMap;

use gemicro_core::ask::{AgentAnswer, AgentName};
use gemicro_event::Json;
use gemicro_pipeline::documents::Feature;
use gemicro_pipeline::evidence::CheckVerdict;
use gemicro_pipeline::flow::PipelineFlow;
use gemicro_pipeline::plan::PipelinePlan;
use gemicro_pipeline::steps::{
    CheckRecord, DeliverResult, Evidence, ImportStepResult, InitResult, IntendedBranch, MergeOutcome,
    MergeResult, RecordResult,
};
use gemicro_pipeline::workflow::{Check, PipelineMode, default_workflow};
use serde_json::{Value, json};

use super::journal::Journal;

pub(super) type Pipeline = Journal<PipelineFlow>;

pub(super) const BASE: &str = "1111111111111111111111111111111111111111";

pub(super) fn plan(mode: PipelineMode) -> PipelinePlan {
    let mut workflow = default_workflow();
    workflow.checks = vec![Check {
        name: "tests".to_owned(),
        command: "make test".to_owned(),
        tests: true,
        timeout_ms: 1_000,
    }];
    PipelinePlan {
        directory: "/srv/project".to_owned(),
        task: "Add a dark mode toggle".to_owned(),
        mode,
        feature: Feature::from_task("Add a dark mode toggle"),
        branch: "task/dark-mode-toggle".to_owned(),
        exact_branch: false,
        workflow,
        agent: AgentName::Gemini,
        model: None,
        remote: None,
        require_protection: false,
        push: true,
        seed: "seed".to_owned(),
        earlier: None,
        notices: Vec::new(),
    }
}

pub(super) fn evidence(tree: &str, is_good: bool) -> Evidence {
    match is_good {
        true => counted(tree, 3),
        false => judged(
            tree,
            CheckVerdict::Failed {
                why: "the check `tests` ended with exit code 1".to_owned(),
            },
        ),
    }
}

/// So many tests passed.
pub(super) fn counted(tree: &str, n_tests: u64) -> Evidence {
    let n_tests = Some(n_tests);
    judged(tree, CheckVerdict::Passed { n_tests })
}

fn judged(tree: &str, verdict: CheckVerdict) -> Evidence {
    Evidence {
        tree: tree.to_owned(),
        checks: vec![CheckRecord {
            name: "tests".to_owned(),
            command: "make test".to_owned(),
            verdict,
            tests: Vec::new(),
            by_family: BTreeMap::new(),
            is_test_suite: true,
            took_ms: 5,
            output: String::new(),
        }],
    }
}

pub(super) fn main_branch() -> IntendedBranch {
    IntendedBranch {
        name: "main".to_owned(),
        commit: BASE.to_owned(),
        remote: None,
    }
}

pub(super) fn prepared() -> InitResult {
    InitResult {
        branch: "task/dark-mode-toggle".to_owned(),
        base: BASE.to_owned(),
        tip: BASE.to_owned(),
        main: main_branch(),
        handover: "/srv/handover".to_owned(),
        worktree: None,
        protection: None,
        evidence: evidence("tree-0", true),
        human_review: None,
        memory: Vec::new(),
        notes: Vec::new(),
    }
}

/// A pipeline whose branch is there.
pub(super) fn begun(mode: PipelineMode) -> Pipeline {
    begun_with(&plan(mode))
}

pub(super) fn begun_with(plan: &PipelinePlan) -> Pipeline {
    begun_on(plan, &prepared())
}

pub(super) fn begun_on(plan: &PipelinePlan, prepared: &InitResult) -> Pipeline {
    let mut pipeline = Journal::new(PipelineFlow, plan);
    pipeline.complete("init", prepared);
    pipeline
}

fn answer(text: String) -> AgentAnswer {
    let answer = json!({
        "text": text, "tier": "full", "access": "gateway", "n_tool_calls": 0, "n_refused": 0, "n_requests": 1,
    });
    Json::from(answer).parse().unwrap()
}

/// The agent of a phase answers with this payload, tagged as its prompt asks.
pub(super) fn says(pipeline: &mut Pipeline, step: &str, payload: &Value) {
    let key = format!("{step}:agent.1");
    says_at(pipeline, &key, payload);
}

pub(super) fn says_at(pipeline: &mut Pipeline, key: &str, payload: &Value) {
    let tag = tag_of(pipeline, key);
    pipeline.complete(key, &answer(format!("Done.\n\n{tag}\n{payload}\n```\n")));
}

pub(super) fn mumbles(pipeline: &mut Pipeline, key: &str, text: &str) {
    pipeline.complete(key, &answer(text.to_owned()));
}

/// The agent submits a result by its tool, and says something.
pub(super) fn submits(pipeline: &mut Pipeline, key: &str, submitted: &Value, text: &str) {
    let answer = AgentAnswer {
        submitted: vec![submitted.clone()],
        ..answer(text.to_owned())
    };
    pipeline.complete(key, &answer);
}

/// The line that the prompt asks for.
pub(super) fn tag_of(pipeline: &Pipeline, key: &str) -> String {
    let step = pipeline.step(key);
    let input: Value = step.input.parse().unwrap();
    let prompt = input["task"]["prompt"].as_str().unwrap().to_owned();
    let tag = prompt.lines().find(|line| line.starts_with("```json gemicro:"));
    tag.unwrap().to_owned()
}

/// The prompt of the wanted step.
pub(super) fn prompt(pipeline: &Pipeline, key: &str) -> String {
    let input: Value = pipeline.step(key).input.parse().unwrap();
    input["task"]["prompt"].as_str().unwrap().to_owned()
}

pub(super) fn taken(tree: &str) -> ImportStepResult {
    ImportStepResult {
        old: BASE.to_owned(),
        new: "2222222222222222222222222222222222222222".to_owned(),
        commits: vec![(
            "2222222222222222222222222222222222222222".to_owned(),
            "work".to_owned(),
        )],
        n_files: 1,
        insertions: 1,
        deletions: 0,
        tree: tree.to_owned(),
        faults: Vec::new(),
        plan: None,
        worktree: None,
        reports: Vec::new(),
        notes: Vec::new(),
    }
}

pub(super) fn recorded(tree: &str) -> RecordResult {
    RecordResult {
        new: "3333333333333333333333333333333333333333".to_owned(),
        tree: tree.to_owned(),
        paths: vec!["docs/dev_docs/reviews/x.md".to_owned()],
        moved: None,
    }
}

pub(super) fn merged(outcome: MergeOutcome, tree: &str) -> MergeResult {
    MergeResult {
        main: main_branch(),
        outcome,
        new: "4444444444444444444444444444444444444444".to_owned(),
        tree: tree.to_owned(),
        files: match outcome {
            MergeOutcome::Conflict => vec!["CHANGELOG.md".to_owned()],
            MergeOutcome::UpToDate | MergeOutcome::Merged => Vec::new(),
        },
        words: String::new(),
    }
}

pub(super) fn delivered() -> DeliverResult {
    DeliverResult {
        commit: "3333333333333333333333333333333333333333".to_owned(),
        remote: None,
        url: None,
        existed: false,
        request: Some("# text".to_owned()),
        notes: Vec::new(),
    }
}

pub(super) const PLAN: &str = "docs/dev_docs/plans/plan_dark_mode_toggle.md";
pub(super) const REVIEW: &str = "docs/dev_docs/reviews/code_review_dark_mode_toggle_v1.md";
pub(super) const COMMIT: &str = "2222222222222222222222222222222222222222";

/// The plan is written and approved.
pub(super) fn planned(pipeline: &mut Pipeline) {
    says(pipeline, "plan.1", &json!({ "plan_path": PLAN }));
    pipeline.complete("plan.1:import", &taken("tree-0"));
    says(pipeline, "plan_review.1", &json!({ "verdict": "APPROVE" }));
    pipeline.complete("plan_review.1:record", &recorded("tree-0"));
}

/// The work is done in a round and leaves this tree.
pub(super) fn developed(pipeline: &mut Pipeline, round: u32, tree: &str) {
    says(
        pipeline,
        &format!("implementation.{round}"),
        &json!({ "commit_hash": COMMIT, "status": "success" }),
    );
    pipeline.complete(&format!("implementation.{round}:import"), &taken(tree));
    pipeline.complete(&format!("implementation.{round}:check"), &evidence(tree, true));
}

/// The audit of a round says this about this tree.
pub(super) fn audited(pipeline: &mut Pipeline, round: u32, verdict: &str, tree: &str) {
    says(
        pipeline,
        &format!("audit.{round}"),
        &json!({ "verdict": verdict, "review_path": REVIEW }),
    );
    pipeline.complete(&format!("audit.{round}:import"), &taken(tree));
}

/// The outcomes of all phases that ended.
pub(super) fn outcomes(pipeline: &Pipeline) -> Vec<String> {
    let ended = pipeline.state.ended_phases().iter();
    ended
        .map(|it| format!("{}.{} {}", it.phase, it.round, it.outcome))
        .collect()
}
