//! The run that tells of gaps.

use gemicro_batch::coverage::{FileScope, Totals};
use gemicro_batch::strategy::{
    FileChangeCounts, GapsInput, GapsOutput, Prose, StrategyFlow, StrategyPlan, rank,
};
use gemicro_core::llm::LlmConfig;
use gemicro_event::{ErrorKind, Failure};
use serde_json::{Value, json};

use super::order::gap;
use crate::proposals::Journal;
use crate::support::said;

/// A ranking as the step gives it back.
fn ranking(n_gaps: u32) -> GapsOutput {
    let gaps = (0..n_gaps).map(|n| gap("src/a.rs", n * 20 + 1, 2)).collect();
    GapsOutput {
        totals: Totals {
            lines: 30,
            covered: 20,
            functions: 3,
            functions_covered: 2,
        },
        n_gaps: u64::from(n_gaps),
        gaps: rank(gaps, &FileChangeCounts::default(), |_| None),
        warnings: vec!["the report is old".to_owned()],
    }
}

fn journal(prose: Option<Prose>) -> Journal<StrategyFlow> {
    let gaps = GapsInput {
        directory: "/srv/project".to_owned(),
        reports: Vec::new(),
        scope: FileScope::All,
        most: 10,
    };
    Journal::new(StrategyFlow, &StrategyPlan { gaps, prose })
}

fn prose() -> Prose {
    Prose {
        llm: LlmConfig::default(),
        system: "Be short.".to_owned(),
        prompt: "{{summary}}\n{{gaps}}{{context}} {{nothing}}".to_owned(),
        context: "{{gaps}} stay as they are".to_owned(),
    }
}

/// What a run gives back, with these parts that differ.
fn strategy_result(n_gaps: u32, strategy: &str, warnings: &[&str], model: Option<&str>) -> Value {
    json!({
        "answer": strategy,
        "strategy": strategy,
        "gaps": ranking(n_gaps).gaps,
        "n_gaps": n_gaps,
        "summary": { "lines": 30, "covered": 20, "percent": 66.66 },
        "warnings": warnings,
        "model": model,
    })
}

const PLAIN: &str = "66.6 % of 30 lines are covered; 2 gaps.
1. src/a.rs:1-2: 2 lines are not covered
2. src/a.rs:21-22: 2 lines are not covered
";

#[test]
fn without_a_model_the_ranking_is_the_strategy() {
    let mut journal = journal(None);
    journal.complete("rank", &ranking(2));
    let expected = strategy_result(2, PLAIN, &["the report is old"], None);
    assert_eq!(journal.completed(), ("2 gaps ranked".to_owned(), expected));
    assert_eq!(
        journal.reported_since(1),
        [
            "step_started: Step rank started",
            "step_completed: Step rank completed",
            "gaps_ranked: Coverage is 66.6 %; there are 2 gaps",
        ]
    );
}

#[test]
fn a_model_is_reported_the_ranking_and_writes_the_strategy() {
    let mut journal = journal(Some(prose()));
    journal.complete("rank", &ranking(1));
    let asked = journal.step("write").input;
    assert_eq!(
        (asked["system"].as_str(), asked["prompt"].as_str()),
        (
            Some("Be short."),
            Some(
                "20 of 30 lines are covered (66.6 %), 2 of 3 functions.\n\
                 1. src/a.rs:1-2: 2 lines are not covered\n\
                 {{gaps}} stay as they are {{nothing}}"
            )
        )
    );
    journal.complete("write", &said("Test a first."));
    let model = LlmConfig::default().model;
    let expected = strategy_result(1, "Test a first.", &["the report is old"], Some(&model));
    assert_eq!(journal.completed(), ("1 gap ranked".to_owned(), expected));
}

#[test]
fn a_ranking_stands_without_its_prose() {
    let warnings = ["the report is old", "no model wrote about it: it failed"];
    let expected = (
        "2 gaps ranked".to_owned(),
        strategy_result(2, PLAIN, &warnings, None),
    );
    let mut failing = journal(Some(prose()));
    failing.complete("rank", &ranking(2));
    failing.fail("write", ErrorKind::Blocked);
    assert_eq!(failing.completed(), expected);
    let mut spent = journal(Some(prose()));
    spent.complete("rank", &ranking(2));
    spent.refuse("write");
    assert_eq!(spent.completed(), expected);
}

#[test]
fn no_one_writes_about_no_gap() {
    let mut journal = journal(Some(prose()));
    journal.complete("rank", &ranking(0));
    let plain = "66.6 % of 30 lines are covered; 0 gaps.\n";
    let expected = strategy_result(0, plain, &["the report is old"], None);
    assert_eq!(journal.completed(), ("No gap is left".to_owned(), expected));
}

#[test]
fn without_a_ranking_the_run_fails() {
    let mut journal = journal(Some(prose()));
    journal.fail("rank", ErrorKind::NotFound);
    assert_eq!(journal.failed(), Failure::new(ErrorKind::NotFound, "it failed"));
}
