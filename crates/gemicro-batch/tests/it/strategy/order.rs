//! The order of gaps, and the reasons for it.

use gemicro_batch::coverage::{CodeLanguage, LineRange};
use gemicro_batch::strategy::{CoverageGap, FileChangeCounts, RankedGap, rank};
use proptest::prelude::*;

pub(super) fn gap(file: &str, first: u32, n_uncovered: u64) -> CoverageGap {
    let last = first + u32::try_from(n_uncovered).unwrap() - 1;
    CoverageGap {
        file: file.to_owned(),
        language: CodeLanguage::of(file),
        function: None,
        is_never_called: false,
        lines: vec![LineRange { first, last }],
        n_uncovered,
    }
}

fn changes(n_commits: u64, files: &[(&str, u64)]) -> FileChangeCounts {
    FileChangeCounts {
        n_commits,
        by_file: files.iter().map(|(file, n)| ((*file).to_owned(), *n)).collect(),
    }
}

fn shown_order(ranked: &[RankedGap]) -> Vec<(String, u64, String)> {
    let line = |it: &RankedGap| (it.gap.name(), it.score, it.reasons.join("; "));
    ranked.iter().map(line).collect()
}

fn check_order(
    gaps: Vec<CoverageGap>,
    changes: &FileChangeCounts,
    text: Option<&str>,
    expected: &[(&str, u64, &str)],
) {
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
        &FileChangeCounts::default(),
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
        &FileChangeCounts::default(),
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
        &FileChangeCounts::default(),
        Some(&many),
        &[("a.rs:1", 112, "1 line is not covered; unsafe memory (100)")],
    );
}

#[test]
fn the_function_is_named() {
    let named = |function: Option<&str>, is_never_called| CoverageGap {
        function: function.map(str::to_owned),
        is_never_called,
        ..gap("a.rs", 1, 2)
    };
    let none = FileChangeCounts::default();
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
        &FileChangeCounts::default(),
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
            let gaps: Vec<CoverageGap> = places
                .into_iter()
                .map(|((file, place), n)| gap(&format!("{file}.rs"), place * 10 + 1, n))
                .collect();
            (Just(gaps.clone()), Just(gaps).prop_shuffle())
        }),
    ) {
        let changes = changes(9, &[("1.rs", 3), ("2.rs", 9)]);
        let text = |gap: &CoverageGap| (gap.span().first > 40).then(|| "if x {}".to_owned());
        prop_assert_eq!(rank(gaps, &changes, text), rank(shuffled, &changes, text));
    }
}
