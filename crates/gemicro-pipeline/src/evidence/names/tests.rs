//! Names in the outputs of test programs, and which of them are gone.

use super::{missing_tests, names_lost, test_names};

#[test]
fn tests_are_named_where_all_of_them_are() {
    for (output, names) in [
        (
            "running 3 tests\ntest a::adds ... ok\ntest b ... ignored\ntest src/lib.rs - c (line 3) ... ok\n\
             test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            &["a::adds", "src/lib.rs - c (line 3)"][..],
        ),
        (
            "    PASS [   0.005s] (1/2) one a::adds\n    PASS [   0.006s] (2/2) one b\n\
             Summary [   0.010s] 2 tests run: 2 passed, 1 skipped\n",
            &["a::adds", "b"],
        ),
        (
            "tests/test_a.py::test_x[1-2] PASSED [ 50%]\ntests/test_a.py::test_y SKIPPED [100%]\n=== 1 passed, 1 skipped in 0.12s ===\n",
            &["tests/test_a.py::test_x[1-2]"],
        ),
        (
            "--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- SKIP: TestB (0.00s)\nok  \texample\t0.1s\n",
            &["TestA"],
        ),
        (
            "ok 1 - adds\nnot ok 2 - takes\nok 3 # skip later\n1..3\n",
            &["adds", "takes"],
        ),
        (
            "1..3\nok 1 - adds\nnot ok 2 - takes # TODO\n    ok 1 - part\nok 3 - halves\n",
            &["adds", "halves"],
        ),
        // Without names, or without all of them, nothing is known.
        ("=== 3 passed in 0.12s ===\n", &[]),
        (
            "test b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            &[],
        ),
        // A test printed a line as of one more.
        (
            "test a ... ok\ntest x ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            &[],
        ),
        ("", &[]),
    ] {
        assert_eq!(test_names(output), names, "{output}");
    }
}

#[test]
fn what_was_moved_is_not_gone() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let base = names(&[
        "tests/test_a.py::test_x[a/b]",
        "m::adds",
        "n::adds",
        "src/lib.rs - f (line 3)",
        "t/a_test.sh",
    ]);
    let moved = names(&[
        "unit/test_b.py::test_x[a/b]",
        "o::adds",
        "adds",
        "src/lib.rs - f (line 9)",
        "tests/a_test.sh",
    ]);
    assert_eq!(missing_tests(&base, &moved), Vec::<String>::new());
    assert_eq!(
        missing_tests(&base, &moved[1..]),
        ["tests/test_a.py::test_x[a/b]"]
    );
    assert_eq!(
        missing_tests(&base, &names(&["adds", "trivial"]))[1..],
        ["n::adds", "src/lib.rs - f (line 3)", "t/a_test.sh"]
    );
}

#[test]
fn names_that_are_not_given_any_more_are_reported() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    for (base, now, is_reported) in [
        (&["a", "b"][..], &[][..], true),
        (&["a", "b"], &["c"], false),
        (&[], &[], false),
        (&[], &["a"], false),
    ] {
        let message = names_lost("unit", &names(base), &names(now));
        assert_eq!(message.is_some(), is_reported, "{base:?} {now:?}");
        let acts = |message: &str| {
            message.contains("the check `unit`")
                && message.contains("(it printed 2 on the base): print one line")
        };
        assert!(message.is_none_or(|message| acts(&message)), "{base:?}");
    }
}
