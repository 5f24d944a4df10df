//! Gaps, their order, what is risky about them, and the run that tells of them.

use gemicro_batch::coverage::{FileCoverage, FunctionCoverage, Language, LineRange, Scope, Totals};
use gemicro_batch::strategy::risk::risks;
use gemicro_batch::strategy::{
    Changes, Gap, GapsInput, GapsOutput, Prose, RankedGap, StrategyFlow, StrategyPlan, gaps_of, rank,
};
use gemicro_core::llm::LlmConfig;
use gemicro_event::{ErrorKind, Failure};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::proposals::Journal;
use crate::support::said;

fn file(lines: &[(u32, u64)], functions: &[(u32, &str, u64)]) -> FileCoverage {
    let mut file = FileCoverage::new("src/a.rs".to_owned());
    file.lines = lines.iter().copied().collect();
    file.functions = functions
        .iter()
        .map(|(line, name, count)| FunctionCoverage {
            name: (*name).to_owned(),
            line: *line,
            count: *count,
        })
        .collect();
    file
}

/// Every gap as one line: lines, number, function, and `!` where nobody calls it.
fn shown_gaps(file: &FileCoverage) -> Vec<String> {
    let gaps = gaps_of(file);
    assert!(
        gaps.iter()
            .all(|gap| gap.file == file.path && gap.language == file.language)
    );
    gaps.iter()
        .map(|gap| {
            let lines: Vec<String> = gap.lines.iter().map(ToString::to_string).collect();
            let function = gap.function.as_deref().unwrap_or("-");
            let mark = if gap.is_never_called { "!" } else { "" };
            format!("{} ({}) {function}{mark}", lines.join(","), gap.n_uncovered)
        })
        .collect()
}

fn check_gaps(lines: &[(u32, u64)], functions: &[(u32, &str, u64)], expected: &[&str]) {
    assert_eq!(shown_gaps(&file(lines, functions)), expected);
}

/// Lines of code that nobody runs.
fn bare(lines: std::ops::RangeInclusive<u32>) -> Vec<(u32, u64)> {
    lines.map(|line| (line, 0)).collect()
}

#[test]
fn what_is_covered_has_no_gap() {
    check_gaps(&[], &[], &[]);
    check_gaps(&[(1, 1), (2, 5)], &[(1, "f", 1)], &[]);
}

#[test]
fn lines_of_one_function_are_one_gap_however_far_apart() {
    let lines = [(1, 1), (2, 0), (30, 1), (40, 0), (41, 0), (50, 1), (51, 0)];
    check_gaps(
        &lines,
        &[(50, "g", 1), (1, "f", 1)],
        &["2,40-41 (3) f", "51 (1) g"],
    );
}

#[test]
fn a_range_is_cut_where_a_function_begins() {
    check_gaps(
        &bare(1..=6),
        &[(1, "f", 0), (4, "g", 0)],
        &["1-3 (3) f!", "4-6 (3) g!"],
    );
    // What stands before the first function belongs to none.
    check_gaps(&bare(1..=6), &[(4, "g", 2)], &["1-3 (3) -", "4-6 (3) g"]);
}

#[test]
fn a_function_that_is_called_in_any_instance_is_called() {
    let instances = [(1, "f<a>", 3), (1, "f<b>", 0)];
    check_gaps(&[(1, 1), (2, 0)], &instances, &["2 (1) f<b>"]);
    check_gaps(&[(1, 0)], &[(1, "f<a>", 0), (1, "f<b>", 0)], &["1 (1) f<b>!"]);
}

#[test]
fn without_functions_nearness_counts() {
    // Eight lines further belong to it; nine do not.
    check_gaps(&[(1, 0), (2, 1), (9, 0)], &[], &["1,9 (2) -"]);
    check_gaps(&[(1, 0), (2, 1), (10, 0)], &[], &["1 (1) -", "10 (1) -"]);
}

#[test]
fn long_ranges_are_cut() {
    check_gaps(
        &bare(1..=200),
        &[(1, "f", 0)],
        &["1-80 (80) f!", "81-160 (80) f!", "161-200 (40) f!"],
    );
    // Two short ranges of a long function are too far apart for one test.
    check_gaps(
        &[(1, 0), (2, 1), (80, 0), (81, 1), (82, 0)],
        &[(1, "f", 1)],
        &["1,80 (2) f", "82 (1) f"],
    );
}

#[test]
fn lines_without_code_are_no_gap() {
    // Between them is a long comment.
    check_gaps(&[(1, 0), (300, 0)], &[(1, "f", 0)], &["1 (1) f!", "300 (1) f!"]);
    check_gaps(
        &[(1, 0), (7, 0), (20, 0)],
        &[(1, "f", 0), (12, "g", 0)],
        &["1-7 (2) f!", "20 (1) g!"],
    );
}

#[test]
fn a_gap_is_named_by_its_file_and_span() {
    let gaps = gaps_of(&file(&[(3, 0), (4, 1), (9, 0)], &[(1, "f", 1)]));
    let expected = LineRange { first: 3, last: 9 };
    assert_eq!(
        (gaps[0].span(), gaps[0].name().as_str()),
        (expected, "src/a.rs:3-9")
    );
}

proptest! {
    #[test]
    fn every_uncovered_line_is_in_exactly_one_gap(
        lines in prop::collection::btree_map(1_u32..400, 0_u64..2, 0..120),
        begins in prop::collection::btree_map(1_u32..400, 0_u64..2, 0..12),
    ) {
        let functions: Vec<(u32, &str, u64)> = begins.iter().map(|(line, count)| (*line, "f", *count)).collect();
        let lines: Vec<(u32, u64)> = lines.into_iter().collect();
        let file = file(&lines, &functions);
        let gaps = gaps_of(&file);
        let in_gaps: Vec<u32> = gaps
            .iter()
            .flat_map(|gap| &gap.lines)
            .flat_map(|range| range.first..=range.last)
            .filter(|line| file.lines.contains_key(line))
            .collect();
        let uncovered: Vec<u32> = lines.iter().filter(|(_, count)| *count == 0).map(|(line, _)| *line).collect();
        let total: u64 = gaps.iter().map(|gap| gap.n_uncovered).sum();
        prop_assert_eq!(total, uncovered.len() as u64);
        prop_assert_eq!(in_gaps, uncovered);
        for gap in &gaps {
            prop_assert!(gap.n_uncovered > 0 && gap.span().last - gap.span().first < 80);
        }
    }
}

fn gap(file: &str, first: u32, n_uncovered: u64) -> Gap {
    let last = first + u32::try_from(n_uncovered).unwrap() - 1;
    Gap {
        file: file.to_owned(),
        language: Language::of(file),
        function: None,
        is_never_called: false,
        lines: vec![LineRange { first, last }],
        n_uncovered,
    }
}

fn changes(n_commits: u64, files: &[(&str, u64)]) -> Changes {
    Changes {
        n_commits,
        by_file: files.iter().map(|(file, n)| ((*file).to_owned(), *n)).collect(),
    }
}

fn shown_order(ranked: &[RankedGap]) -> Vec<(String, u64, String)> {
    let line = |it: &RankedGap| (it.gap.name(), it.score, it.reasons.join("; "));
    ranked.iter().map(line).collect()
}

fn check_order(gaps: Vec<Gap>, changes: &Changes, text: Option<&str>, expected: &[(&str, u64, &str)]) {
    let ranked = rank(gaps, changes, |_| text.map(str::to_owned));
    let expected: Vec<(String, u64, String)> = expected
        .iter()
        .map(|(name, score, reasons)| ((*name).to_owned(), *score, (*reasons).to_owned()))
        .collect();
    assert_eq!(shown_order(&ranked), expected);
}

#[test]
fn size_counts() {
    check_order(
        vec![gap("a.rs", 1, 1), gap("a.rs", 5, 3)],
        &Changes::default(),
        None,
        &[
            ("a.rs:5-7", 48, "3 lines are not covered"),
            ("a.rs:1", 16, "1 line is not covered"),
        ],
    );
}

#[test]
fn change_counts_up_to_a_limit() {
    check_order(
        vec![gap("a.rs", 1, 1), gap("b.rs", 1, 1), gap("c.rs", 1, 1)],
        &changes(500, &[("b.rs", 2), ("c.rs", 400)]),
        None,
        &[
            (
                "c.rs:1",
                64,
                "1 line is not covered; 400 of the last 500 commits changed the file",
            ),
            (
                "b.rs:1",
                24,
                "1 line is not covered; 2 of the last 500 commits changed the file",
            ),
            ("a.rs:1", 16, "1 line is not covered"),
        ],
    );
}

#[test]
fn risk_counts_up_to_a_limit() {
    check_order(
        vec![gap("a.rs", 1, 1)],
        &Changes::default(),
        Some("if a { unsafe { b() } }"),
        &[(
            "a.rs:1",
            36,
            "1 line is not covered; branches (1); unsafe memory (1)",
        )],
    );
    let many = "unsafe ".repeat(100);
    check_order(
        vec![gap("a.rs", 1, 1)],
        &Changes::default(),
        Some(&many),
        &[("a.rs:1", 112, "1 line is not covered; unsafe memory (100)")],
    );
}

#[test]
fn the_function_is_named() {
    let named = |function: Option<&str>, is_never_called| Gap {
        function: function.map(str::to_owned),
        is_never_called,
        ..gap("a.rs", 1, 2)
    };
    let none = Changes::default();
    let cases = [
        (
            named(Some("f"), true),
            48,
            "2 lines are not covered; no test calls f",
        ),
        (named(Some("f"), false), 32, "2 lines are not covered; in f"),
        (
            named(None, true),
            48,
            "2 lines are not covered; no test calls the function",
        ),
        (named(None, false), 32, "2 lines are not covered"),
    ];
    for (gap, score, reasons) in cases {
        check_order(vec![gap], &none, None, &[("a.rs:1-2", score, reasons)]);
    }
}

#[test]
fn ties_are_ordered_by_place() {
    let gaps = vec![gap("b.rs", 1, 1), gap("a.rs", 20, 1), gap("a.rs", 3, 1)];
    let reason = "1 line is not covered";
    check_order(
        gaps,
        &Changes::default(),
        None,
        &[
            ("a.rs:3", 16, reason),
            ("a.rs:20", 16, reason),
            ("b.rs:1", 16, reason),
        ],
    );
}

proptest! {
    #[test]
    fn the_order_of_the_input_does_not_matter(
        (gaps, shuffled) in prop::collection::btree_map((0_u8..4, 0_u32..10), 1_u64..4, 0..20).prop_flat_map(|places| {
            let gaps: Vec<Gap> = places
                .into_iter()
                .map(|((file, place), n)| gap(&format!("{file}.rs"), place * 10 + 1, n))
                .collect();
            (Just(gaps.clone()), Just(gaps).prop_shuffle())
        }),
    ) {
        let changes = changes(9, &[("1.rs", 3), ("2.rs", 9)]);
        let text = |gap: &Gap| (gap.span().first > 40).then(|| "if x {}".to_owned());
        prop_assert_eq!(rank(gaps, &changes, text), rank(shuffled, &changes, text));
    }
}

fn check_risks(language: Language, text: &str, expected: &[(&str, u32, u32)]) {
    let found = risks(language, text);
    let found: Vec<(&str, u32, u32)> = found
        .iter()
        .map(|it| (it.what.as_str(), it.n, it.points))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn words_tell_what_lines_do() {
    use Language::{Cpp, Other, Rust};
    check_risks(Rust, "", &[]);
    check_risks(Rust, "let x = 1;\nlet format = iffy;", &[]);
    check_risks(Rust, "if a && b || c { d()? }", &[("branches", 4, 1)]);
    check_risks(
        Rust,
        "let y = unsafe { get_unchecked(x) };",
        &[("unsafe memory", 2, 4)],
    );
    check_risks(Rust, "return Err(x.unwrap())", &[("error paths", 2, 2)]);
    check_risks(
        Rust,
        "x.parse::<u8>() as u32",
        &[("parsing and conversion", 2, 2)],
    );
    // Each language has its own words.
    check_risks(Rust, "throw new x; switch y", &[]);
    check_risks(
        Cpp,
        "switch (x) { case 1: throw new E; }\nunwrap parse?",
        &[
            ("branches", 2, 1),
            ("unsafe memory", 1, 4),
            ("error paths", 1, 2),
            ("parsing and conversion", 1, 2),
        ],
    );
    check_risks(
        Other,
        "match x: throw y",
        &[("branches", 1, 1), ("error paths", 1, 2)],
    );
}

#[test]
fn comments_of_whole_lines_do_not_count() {
    let text = "// if\n/// if\n/* if\n * if\n *\n */\nx(); // if";
    check_risks(Language::Cpp, text, &[("branches", 1, 1)]);
    // A pointer at the beginning of a line is no comment.
    check_risks(Language::Cpp, "*p = malloc(n);", &[("unsafe memory", 1, 4)]);
    check_risks(
        Language::Rust,
        "*x = y.parse()?;",
        &[("branches", 1, 1), ("parsing and conversion", 1, 2)],
    );
}

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
        gaps: rank(gaps, &Changes::default(), |_| None),
        warnings: vec!["the report is old".to_owned()],
    }
}

fn journal(prose: Option<Prose>) -> Journal<StrategyFlow> {
    let gaps = GapsInput {
        directory: "/srv/project".to_owned(),
        reports: Vec::new(),
        scope: Scope::All,
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
        journal.told_since(1),
        [
            "step_started: Step rank started",
            "step_completed: Step rank completed",
            "gaps_ranked: Coverage is 66.6 %; there are 2 gaps",
        ]
    );
}

#[test]
fn a_model_is_told_the_ranking_and_writes_the_strategy() {
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
fn nobody_writes_about_no_gap() {
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
