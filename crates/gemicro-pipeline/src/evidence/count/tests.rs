//! What is read from a table of outputs.

mod outputs;

use outputs::{COUNTED, FAILED, UNKNOWN, WELL};

use super::{by_family, count_tests, failures};

fn numbers(output: &str) -> Option<(u64, u64)> {
    count_tests(output).map(|count| (count.n_run, count.n_skipped))
}

#[test]
fn failures_are_reported_and_nothing_else_is_one() {
    for (output, n_failed) in FAILED {
        assert_eq!(failures(output), *n_failed, "{output}");
    }
    let of_others = COUNTED.iter().map(|(output, _, _)| *output).chain([
        "1..2\nok 1\nnot ok 2 - later # TODO not yet",
        "1..1\n    not ok 1 - x\nnot ok 1 - a # TODO later",
        "1..1\nnot ok 1 - a # TODO later {\n    not ok 1 - x\n}",
        "1..1\n    not ok 1 - x # TODO later\nok 1 - a",
        "ok 1 - a\n  ---\n  found: |\n    not ok 1 - quoted\n  ...\nok 2 - b",
        "the log says\nit is not ok 1 time in 3",
        "not okay 1",
        "    not ok 1 - in a text without a stream",
        "2 passed, 1 xfailed, 1 xpassed, 3 warnings in 0.10s",
        "     Summary [   0.005s] 12 tests run: 12 passed (1 flaky), 0 skipped",
        "test cases: 2 | 1 passed | 1 failed as expected",
        "Ran 3 tests in 0.001s\n\nOK (expected failures=1)",
        "the log tells of 3 failed logins",
    ]);
    for output in of_others.filter(|output| FAILED.iter().all(|(failed, _)| failed != output)) {
        assert_eq!(failures(output), 0, "{output}");
    }
}

#[test]
fn no_summary_outvotes_one_that_reports_failures() {
    for (output, n_failed) in FAILED {
        for well in WELL {
            let both = [
                format!("{well}\n{output}"),
                format!("{output}\n\n\n\n\n\n\n\n{well}"),
            ];
            for both in both {
                assert!(failures(&both) >= *n_failed, "{both}");
            }
        }
    }
}

#[test]
fn every_family_counts_by_its_own_name() {
    let families = |output: &str| -> Vec<(String, u64)> { by_family(output).into_iter().collect() };
    let is = |family: &str, n: u64| (family.to_owned(), n);
    assert_eq!(families("1..2\nok 1\nok 2"), [is("tap", 2)]);
    assert_eq!(
        families("1..2\nok 1\nok 2\nOK (2 tests, 2 assertions)"),
        [is("phpunit", 2)]
    );
    assert_eq!(
        families("3 passed in 0.01s\nRan 2 tests in 0.001s\n\nOK\nrunning 0 tests"),
        [is("pytest", 3), is("unittest", 2)]
    );
    assert_eq!(families("all is well"), []);
}

#[test]
fn known_outputs_are_counted() {
    for (output, n_run, n_skipped) in COUNTED {
        assert_eq!(numbers(output), Some((*n_run, *n_skipped)), "{output}");
    }
}

#[test]
fn other_outputs_make_no_claim() {
    for output in UNKNOWN {
        assert_eq!(count_tests(output), None, "{output}");
    }
}

proptest::proptest! {
    #[test]
    fn lines_without_a_summary_change_nothing(noise in "[a-zA-Z :|#\\[\\]\\x1b]{0,40}", idx in 0..COUNTED.len()) {
        let (output, n_run, n_skipped) = COUNTED[idx];
        let longer = format!("noise {noise}\n{output}");
        proptest::prop_assert_eq!(numbers(&longer), Some((n_run, n_skipped)));
    }
}
