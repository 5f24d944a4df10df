//! Verdicts about checks that have run.

use std::collections::BTreeMap;

use super::{CheckExit, CheckRun, CheckVerdict, judge, other_family, shrunk};

fn run(command: &str, exit: CheckExit, output: &str) -> CheckRun {
    CheckRun {
        name: "tests".to_owned(),
        command: command.to_owned(),
        is_test_suite: true,
        exit,
        output: output.to_owned(),
    }
}

fn passed(n_tests: Option<u64>) -> CheckVerdict {
    CheckVerdict::Passed { n_tests }
}

fn failed(why: &str) -> CheckVerdict {
    CheckVerdict::Failed {
        why: format!("the check `tests` {why}"),
    }
}

fn refused(why: &str) -> CheckVerdict {
    CheckVerdict::Refused {
        why: format!("the check `tests` {why}"),
    }
}

#[test]
fn every_end_has_its_verdict() {
    let empty = "ran no tests; make sure the command selects existing tests";
    let cases = [
        ("pytest", CheckExit::Code(0), "3 passed in 0.01s", passed(Some(3))),
        ("pytest", CheckExit::Code(0), "all is well", passed(None)),
        (
            "pytest",
            CheckExit::Code(0),
            "no tests ran in 0.01s",
            refused(empty),
        ),
        ("pytest", CheckExit::Code(0), "2 skipped in 0.01s", refused(empty)),
        (
            "ctest",
            CheckExit::Code(0),
            "No tests were found!!!",
            refused(empty),
        ),
        (
            "pytest",
            CheckExit::Code(1),
            "1 failed, 2 passed in 0.01s",
            failed("ended with exit code 1"),
        ),
        (
            "sh tests/run.sh",
            CheckExit::Code(0),
            "not ok 1 - bye\nok 2 - hello\n1..2",
            failed(
                "ended with exit code 0 although its output reports 1 failed test; make it exit with an error when a \
                 test fails",
            ),
        ),
        (
            "sh tests/run.sh",
            CheckExit::Code(0),
            "not ok 1 - bye\nok 2 - hello\n1..2\nOK (2 tests, 2 assertions)",
            failed(
                "ended with exit code 0 although its output reports 1 failed test; make it exit with an error when a \
                 test fails",
            ),
        ),
        (
            "make check",
            CheckExit::Code(0),
            "ok  \tapp\t0.01s\nFAIL\tapp/b\t0.02s\nFAIL\tapp/c\t0.02s",
            failed(
                "ended with exit code 0 although its output reports 2 failed tests; make it exit with an error when a \
                 test fails",
            ),
        ),
        (
            "pytest",
            CheckExit::Code(5),
            "no tests ran in 0.01s",
            failed("ended with exit code 5; no tests ran"),
        ),
        (
            "pytest",
            CheckExit::Code(127),
            "bash: line 1: pytest: command not found",
            failed("could not start `pytest`: it was not found or is not executable"),
        ),
        (
            "pytest",
            CheckExit::Code(127),
            "sh: 1: pytest: not found",
            failed("could not start `pytest`: it was not found or is not executable"),
        ),
        (
            "pytest",
            CheckExit::Code(127),
            "",
            failed("ended with exit code 127: a program was not found or is not executable"),
        ),
        (
            "./run",
            CheckExit::Code(126),
            "sh: 1: ./run: Permission denied",
            failed("could not start `./run`: it was not found or is not executable"),
        ),
        (
            "make test",
            CheckExit::Code(2),
            "/bin/sh: 1: pytest: not found\nmake: *** [test] Error 127",
            failed("could not start `pytest`: it was not found or is not executable"),
        ),
        (
            "pytest",
            CheckExit::Code(1),
            "E  KeyError: user: not found",
            failed("ended with exit code 1"),
        ),
        (
            "pytest",
            CheckExit::Signal(11),
            "3 passed in 0.01s",
            failed("was killed by signal 11"),
        ),
        (
            "pytest",
            CheckExit::TimedOut,
            "",
            failed("took too long and was stopped"),
        ),
        (
            "pytest",
            CheckExit::NotStarted("no sandbox".to_owned()),
            "",
            failed("could not be started: no sandbox"),
        ),
        (
            "pytest || true",
            CheckExit::Code(1),
            "1 failed in 0.01s",
            refused("proves nothing: `|| true` hides the exit status of `pytest`"),
        ),
    ];
    for (command, exit, output, expected) in cases {
        assert_eq!(
            judge(&run(command, exit, output)),
            expected,
            "{command}: {output}"
        );
    }
}

#[test]
fn a_check_that_is_no_suite_needs_no_tests() {
    let mut lint = run("cargo clippy", CheckExit::Code(0), "");
    lint.is_test_suite = false;
    assert_eq!(judge(&lint), passed(None));
    lint.output = "running 0 tests".to_owned();
    assert_eq!(judge(&lint), passed(Some(0)));
}

#[test]
fn only_a_smaller_number_is_a_fault() {
    let message = |now: &str| {
        Some(format!(
            "only {now}, but 12 ran on the base; restore the missing tests"
        ))
    };
    assert_eq!(shrunk(Some(12), Some(3)), message("3 tests ran"));
    assert_eq!(shrunk(Some(12), Some(1)), message("1 test ran"));
    assert_eq!(shrunk(Some(12), Some(12)), None);
    assert_eq!(shrunk(Some(12), Some(13)), None);
    assert_eq!(shrunk(None, Some(3)), None);
    assert!(shrunk(Some(12), None).is_some_and(|why| why.contains("12 on the base")));
}

#[test]
fn no_family_stands_in_for_one_of_the_base() {
    let counts = |counts: &[(&str, u64)]| -> BTreeMap<String, u64> {
        let all = counts.iter();
        all.map(|(family, n)| ((*family).to_owned(), *n)).collect()
    };
    let cases = [
        (
            &[("tap", 2)][..],
            &[("phpunit", 2)][..],
            Some("has 0 now, 2 by phpunit:"),
        ),
        (
            &[("tap", 2)],
            &[("phpunit", 2), ("tap", 1)],
            Some("has 1 now, 2 by phpunit:"),
        ),
        (&[("tap", 2)], &[], Some("has 0 now:")),
        (&[("tap", 2)], &[("phpunit", 2), ("tap", 2)], None),
        (&[("tap", 2)], &[("tap", 3)], None),
        (&[], &[("tap", 3)], None),
    ];
    for (base, now, message) in cases {
        let found = other_family("unit", &counts(base), &counts(now));
        let begins = "the check `unit` had 2 tests counted by tap on the base and ";
        let words = message.map(|message| format!("{begins}{message}"));
        let is_so = match (&found, &words) {
            (Some(found), Some(words)) => found.starts_with(words),
            (None, None) => true,
            (_, _) => false,
        };
        assert!(is_so, "{now:?}: {found:?}");
    }
}

#[test]
fn runs_and_verdicts_have_their_wire_shape() {
    let check = run("pytest", CheckExit::Code(0), "ok");
    let json = serde_json::to_string(&check).unwrap();
    assert_eq!(
        json,
        r#"{"name":"tests","command":"pytest","is_test_suite":true,"exit":{"code":0},"output":"ok"}"#
    );
    assert_eq!(serde_json::from_str::<CheckRun>(&json).unwrap(), check);
    let shapes = [
        (passed(Some(3)), r#"{"verdict":"passed","n_tests":3}"#),
        (passed(None), r#"{"verdict":"passed"}"#),
        (
            CheckVerdict::Failed { why: "x".to_owned() },
            r#"{"verdict":"failed","why":"x"}"#,
        ),
        (
            CheckVerdict::Refused { why: "x".to_owned() },
            r#"{"verdict":"refused","why":"x"}"#,
        ),
    ];
    for (verdict, json) in shapes {
        assert_eq!(serde_json::to_string(&verdict).unwrap(), json);
        assert_eq!(serde_json::from_str::<CheckVerdict>(json).unwrap(), verdict);
    }
    let exits = [
        CheckExit::Signal(9),
        CheckExit::TimedOut,
        CheckExit::NotStarted("x".to_owned()),
    ];
    let json = serde_json::to_string(&exits).unwrap();
    assert_eq!(json, r#"[{"signal":9},"timed_out",{"not_started":"x"}]"#);
}
