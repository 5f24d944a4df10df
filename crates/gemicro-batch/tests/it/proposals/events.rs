//! The events of proposals, strategies and loops on the wire.

use gemicro_batch::coverage::{CodeLanguage, LineRange, Totals};
use gemicro_batch::ooda::{
    Decider, FileFigures, LandedTrial, Mutations, Observation, OodaActed, OodaDecided, OodaObserved,
    OodaOriented, Rejection, RejectionKind, UncoveredLines,
};
use gemicro_batch::proposal::{
    Excerpt, Neighbour, PatchProblem, PatchedFile, ProblemKind, ProposalChecked, ProposalMaterial,
    TestChecked, TestMaterialGathered, TestProposed, TriedTest,
};
use gemicro_batch::strategy::risk::Risk;
use gemicro_batch::strategy::{CoverageGap, GapsRanked, RankedGap, StrategyWritten};
use gemicro_event::{AgentUpdate, Payload, Registry, Timestamp, Usage};

fn line<P: Payload>(payload: &P) -> String {
    serde_json::to_string(&AgentUpdate::new(payload, Timestamp::from_millis(0))).unwrap()
}

/// Compares with a golden file, and reads it back.
fn check(register: fn(&mut Registry), kinds: &[&str], lines: &[String], golden: &str) {
    let mut registry = Registry::default();
    register(&mut registry);
    let registered: Vec<&str> = registry.kinds().map(|kind| kind.event_type).collect();
    assert_eq!(registered, kinds);
    assert_eq!(lines.join("\n") + "\n", golden);
    let mut messages: Vec<String> = golden
        .lines()
        .map(|text| {
            let update: AgentUpdate = serde_json::from_str(text).unwrap();
            registry.check(&update).unwrap();
            update.event_type
        })
        .collect();
    messages.sort();
    messages.dedup();
    assert_eq!(messages, kinds, "every kind has its line");
}

fn patched() -> PatchedFile {
    PatchedFile {
        path: "tests/a.rs".to_owned(),
        is_new: true,
        insertions: 3,
        deletions: 0,
    }
}

fn gap() -> CoverageGap {
    CoverageGap {
        file: "src/a.rs".to_owned(),
        language: CodeLanguage::Rust,
        function: Some("price".to_owned()),
        is_never_called: true,
        lines: vec![LineRange { first: 2, last: 4 }, LineRange { first: 7, last: 7 }],
        n_uncovered: 4,
    }
}

fn ranked() -> RankedGap {
    RankedGap {
        gap: gap(),
        score: 120,
        n_changes: 1,
        risks: vec![Risk {
            what: "branches".to_owned(),
            n: 1,
            points: 1,
        }],
        reasons: vec!["4 lines are not covered".to_owned()],
    }
}

fn totals() -> Totals {
    Totals {
        lines: 10,
        covered: 6,
        functions: 2,
        functions_covered: 1,
    }
}

#[test]
fn events_of_proposals() {
    let checked = |problem, tried| TestChecked {
        attempt: 1,
        checked: ProposalChecked {
            patch: "diff".to_owned(),
            files: vec![patched()],
            problem,
            tried,
        },
    };
    let proposed = |attempt| TestProposed {
        round: 1,
        attempt,
        model: "m".to_owned(),
        answer: "```diff\n```".to_owned(),
        usage: Usage::default(),
    };
    let problem = PatchProblem {
        kind: ProblemKind::DoesNotApply,
        message: "it does not fit".to_owned(),
    };
    let tried = |exit_code| TriedTest {
        exit_code,
        output: "1 failed\n".to_owned(),
    };
    let lines = [
        line(&TestMaterialGathered {
            material: ProposalMaterial {
                target: "src/a.rs".to_owned(),
                language: CodeLanguage::Rust,
                import: None,
                lines: gap().lines,
                excerpts: vec![Excerpt {
                    first: 1,
                    text: "fn a() {}".to_owned(),
                }],
                neighbours: vec![Neighbour {
                    path: "tests/b.rs".to_owned(),
                    text: "fn b() {}".to_owned(),
                    is_cut: true,
                }],
                layout: vec!["Cargo.toml".to_owned()],
                warnings: vec!["the report is old".to_owned()],
            },
        }),
        line(&proposed(1)),
        line(&proposed(2)),
        line(&checked(None, None)),
        line(&checked(None, Some(tried(Some(0))))),
        line(&checked(None, Some(tried(Some(101))))),
        line(&checked(None, Some(tried(None)))),
        line(&checked(Some(problem), None)),
    ];
    check(
        gemicro_batch::proposal::register,
        &["test_checked", "test_material_gathered", "test_proposed"],
        &lines,
        include_str!("golden/proposal_events.jsonl"),
    );
}

#[test]
fn events_of_strategies() {
    let gaps_ranked = |n_gaps: u64| GapsRanked {
        totals: totals(),
        n_gaps,
        gaps: (0..n_gaps).map(|_| ranked()).collect(),
        warnings: Vec::new(),
    };
    let lines = [
        line(&gaps_ranked(0)),
        line(&gaps_ranked(1)),
        line(&gaps_ranked(2)),
        line(&StrategyWritten {
            model: "m".to_owned(),
            text: "Begin with a.".to_owned(),
            usage: Usage::default(),
        }),
    ];
    check(
        gemicro_batch::strategy::register,
        &["gaps_ranked", "strategy_written"],
        &lines,
        include_str!("golden/strategy_events.jsonl"),
    );
}

#[test]
fn events_of_loops() {
    let observation = Observation {
        totals: totals(),
        files: vec![FileFigures {
            path: "src/a.rs".to_owned(),
            lines: 10,
            covered: 6,
        }],
        uncovered: vec![UncoveredLines {
            path: "src/a.rs".to_owned(),
            ranges: gap().lines,
        }],
        n_gaps: 1,
        gaps: vec![ranked()],
        commit: "c0".to_owned(),
        folder: "/srv/work".to_owned(),
        test_ms: 7,
        warnings: vec!["odd".to_owned()],
    };
    let oriented = |n_gaps: u64| OodaOriented {
        round: 1,
        n_gaps,
        gaps: (0..n_gaps).map(|_| ranked()).collect(),
    };
    let decided = |by| OodaDecided {
        round: 1,
        by,
        gap: gap(),
    };
    let acted = OodaActed {
        round: 1,
        attempt: 1,
        gap: gap(),
        patch: "diff".to_owned(),
        files: vec![patched()],
        rejection: None,
        newly_covered: 3,
        mutations: Mutations {
            odd: None,
            tried: 2,
            noticed: 2,
            about: vec!["src/a.rs:2: `<` became `>`: noticed".to_owned()],
        },
        landed: Some(LandedTrial {
            branch: "task/tests".to_owned(),
            commit: "c1".to_owned(),
            worktree: Some("/srv/tree".to_owned()),
            reports: vec!["it is large".to_owned()],
        }),
    };
    let rejected = OodaActed {
        rejection: Some(Rejection {
            reason: RejectionKind::TestsFail,
            message: "the tests fail\nwith this test".to_owned(),
            output: "1 failed".to_owned(),
        }),
        newly_covered: 0,
        mutations: Mutations::default(),
        landed: None,
        ..acted.clone()
    };
    let lines = [
        line(&OodaObserved {
            round: 1,
            observation,
        }),
        line(&oriented(0)),
        line(&oriented(1)),
        line(&oriented(2)),
        line(&decided(Decider::Auto)),
        line(&decided(Decider::Human)),
        line(&acted),
        line(&rejected),
    ];
    check(
        gemicro_batch::ooda::register,
        &["ooda_acted", "ooda_decided", "ooda_observed", "ooda_oriented"],
        &lines,
        include_str!("golden/ooda_events.jsonl"),
    );
}
