//! Which lines belong together.

use gemicro_batch::coverage::{FileCoverage, FunctionCoverage, LineRange};
use gemicro_batch::strategy::gaps_of;
use proptest::prelude::*;

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
