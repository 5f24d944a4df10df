//! Which lines count as newly covered.

use super::{newly_covered, ranges};
use crate::coverage::{FileCoverage, LineRange, ProjectCoverage};
use crate::ooda::UncoveredLines;
use crate::patch::NewText;

fn file(path: &str, lines: &[(u32, u64)]) -> FileCoverage {
    FileCoverage {
        lines: lines.iter().copied().collect(),
        ..FileCoverage::new(path.to_owned())
    }
}

/// Uncovered lines of `a.rs` before, what is measured now, and the change of the file between.
fn check(before: &[(u32, u32)], now: &[(u32, u64)], change: Option<(&str, &str)>, expected: &[u32]) {
    let before = [UncoveredLines {
        path: "a.rs".to_owned(),
        ranges: before
            .iter()
            .map(|(first, last)| LineRange {
                first: *first,
                last: *last,
            })
            .collect(),
    }];
    let texts: Vec<NewText> = change
        .iter()
        .map(|(old, new)| NewText {
            path: "a.rs".to_owned(),
            old: Some((*old).to_owned()),
            new: (*new).to_owned(),
        })
        .collect();
    let newly = newly_covered(&before, &ProjectCoverage::of([file("a.rs", now)]), &texts);
    let found: Vec<u32> = newly.into_values().flatten().collect();
    assert_eq!(found, expected);
}

#[test]
fn lines_count_that_were_not_covered_and_are() {
    check(&[(2, 4)], &[(1, 1), (2, 1), (3, 0), (4, 7)], None, &[2, 4]);
    check(&[(2, 4)], &[(2, 0)], None, &[]);
    // A line without code, and one that no report knows any more.
    check(&[(2, 9)], &[(1, 1)], None, &[]);
    check(&[], &[(1, 1)], None, &[]);
}

#[test]
fn lines_are_followed_through_an_insertion() {
    // Two lines come after the first.
    let change = Some(("a\nb\nc\n", "a\nx\ny\nb\nc\n"));
    check(
        &[(1, 3)],
        &[(1, 1), (2, 1), (3, 1), (4, 1), (5, 0)],
        change,
        &[1, 4],
    );
    // A test comes at the end, and at the beginning.
    check(
        &[(2, 2)],
        &[(2, 1), (4, 1)],
        Some(("a\nb\n", "a\nb\nt\nt\n")),
        &[2],
    );
    check(&[(2, 2)], &[(2, 1), (3, 1)], Some(("a\nb\n", "t\na\nb\n")), &[3]);
    // Equal lines on both sides of it are each counted once.
    check(
        &[(1, 2)],
        &[(1, 1), (3, 1)],
        Some(("a\na\n", "a\nt\na\n")),
        &[1, 3],
    );
}

#[test]
fn lines_that_were_changed_or_went_do_not_count() {
    check(
        &[(1, 3)],
        &[(1, 1), (2, 1), (3, 1)],
        Some(("a\nb\nc\n", "a\nB\nc\n")),
        &[1, 3],
    );
    check(
        &[(1, 3)],
        &[(1, 1), (2, 1)],
        Some(("a\nb\nc\n", "a\nc\n")),
        &[1, 2],
    );
    // A report that was older than the file names lines beyond its end.
    check(&[(0, 9)], &[(1, 1), (9, 1)], Some(("a\n", "a\nt\n")), &[1]);
}

#[test]
fn other_files_and_new_ones_are_left_alone() {
    let before = [UncoveredLines {
        path: "a.rs".to_owned(),
        ranges: vec![LineRange { first: 1, last: 1 }],
    }];
    let now = ProjectCoverage::of([file("b.rs", &[(1, 1)])]);
    assert!(newly_covered(&before, &now, &[]).is_empty());
    let created = NewText {
        path: "a.rs".to_owned(),
        old: None,
        new: "a\n".to_owned(),
    };
    let now = ProjectCoverage::of([file("a.rs", &[(1, 1)])]);
    assert!(newly_covered(&before, &now, &[created]).is_empty());
}

#[test]
fn lines_become_ranges() {
    assert_eq!(ranges(&[]), []);
    assert_eq!(ranges(&[1, 2, 3, 5, 9, 10]), [(1, 3), (5, 5), (9, 10)]);
}
