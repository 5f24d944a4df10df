//! Outputs as the test programs write them.

const CARGO: &str = "\
     Running unittests src/lib.rs (target/debug/deps/app-0)

running 3 tests
test one ... ok
test two ... ok
test three ... ignored

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.00s

   Doc-tests app

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

const NODE: &str = "\
TAP version 13
ok 1 - one
ok 2 - two # SKIP
1..2
# tests 2
# suites 0
# pass 1
# fail 0
# cancelled 0
# skipped 1
# todo 0
";

const MAVEN: &str = "\
[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s -- in app.OneTest
[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in app.TwoTest
[INFO] Results:
[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1
";

const CTEST: &str = "\
1/2 Test #1: one ..............   Passed    0.00 sec
2/2 Test #2: two ..............***Skipped   0.00 sec

100% tests passed, 0 tests failed out of 2

The following tests did not run:
\t  2 - two (Skipped)
";

const GTEST: &str = "\
[==========] Running 3 tests from 1 test suite.
[==========] 3 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 2 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Suite.Three
";

const MESON: &str = "\
Ok:                 4
Expected Fail:      0
Fail:               1
Unexpected Pass:    0
Skipped:            2
Timeout:            0
";

const GO_JSON: &str = r#"{"Time":"…","Action":"run","Package":"app","Test":"TestA"}
{"Time":"…","Action":"pass","Package":"app","Test":"TestA/sub"}
{"Time":"…","Action":"pass","Package":"app","Test":"TestA"}
{"Time":"…","Action":"skip","Package":"app","Test":"TestB"}
{"Time":"…","Action":"pass","Package":"app"}
"#;

/// Outputs with the tests that ran and that were skipped.
pub(super) const COUNTED: &[(&str, u64, u64)] = &[
    (CARGO, 2, 1),
    (
        "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        3,
        0,
    ),
    ("running 0 tests\n", 0, 0),
    ("running 1 test\ntest one ... thread panicked", 1, 0),
    (
        "     Summary [   0.005s] 12 tests run: 12 passed, 3 skipped",
        12,
        3,
    ),
    (
        "     Summary [   0.005s] 1 test run: 1 passed (1 slow), 0 skipped",
        1,
        0,
    ),
    (
        "     Summary [   0.005s] 3/12 tests run: 2 passed, 1 failed, 0 skipped",
        3,
        0,
    ),
    (
        "    Starting 0 tests across 0 binaries\n     Summary [   0.000s] 0 tests run: 0 passed, 9 skipped",
        0,
        9,
    ),
    (
        "    Starting 0 tests across 2 binaries\nerror: no tests to run",
        0,
        0,
    ),
    (
        "collected 4 items\n===== 3 passed, 1 skipped, 2 warnings in 0.12s =====",
        3,
        1,
    ),
    ("1 failed, 2 passed, 1 xfailed, 1 error in 61.20s (0:01:01)", 4, 0),
    (
        "\u{1b}[32m===== \u{1b}[32m\u{1b}[1m3 passed\u{1b}[0m\u{1b}[32m in 0.12s\u{1b}[0m =====\u{1b}[0m",
        3,
        0,
    ),
    ("collected 0 items\n\n===== no tests ran in 0.01s =====", 0, 0),
    (
        "collected 5 items / 5 deselected / 0 selected\n==== 5 deselected in 0.01s ====",
        0,
        5,
    ),
    ("collected 0 items", 0, 0),
    ("..\n-----\nRan 2 tests in 0.001s\n\nOK\n", 2, 0),
    ("Ran 3 tests in 0.001s\n\nOK (skipped=3)", 0, 3),
    (
        "Ran 3 tests in 0.001s\r\n\r\nFAILED (failures=1, skipped=1)\r\n",
        2,
        1,
    ),
    ("Ran 0 tests in 0.000s\n\nNO TESTS RAN", 0, 0),
    ("?   \tapp\t[no test files]", 0, 0),
    (
        "ok  \tapp\t0.01s [no tests to run]\n?   \tapp/b\t[no test files]",
        0,
        0,
    ),
    (
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\n--- SKIP: TestB (0.00s)\nok  \tapp\t0.01s",
        1,
        1,
    ),
    (GO_JSON, 1, 1),
    (
        "Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total",
        4,
        2,
    ),
    ("No tests found, exiting with code 0", 0, 0),
    (
        " Test Files  1 passed (1)\n      Tests  3 passed | 1 skipped (4)",
        3,
        1,
    ),
    ("      Tests  2 failed | 3 passed (5)", 5, 0),
    ("No test files found, exiting with code 0", 0, 0),
    ("\n  5 passing (12ms)\n  2 pending\n  1 failing\n", 6, 2),
    ("  0 passing (1ms)", 0, 0),
    ("5 specs, 0 failures, 1 pending spec", 4, 1),
    (
        " 5 pass\n 1 skip\n 0 fail\n 9 expect() calls\nRan 6 tests across 1 file. [10.00ms]",
        5,
        1,
    ),
    ("ok | 5 passed | 0 failed | 1 ignored (12ms)", 5, 1),
    (NODE, 1, 1),
    ("\u{2139} tests 0\n\u{2139} pass 0\n\u{2139} fail 0\n", 0, 0),
    (GTEST, 2, 1),
    (
        "[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.",
        0,
        0,
    ),
    (CTEST, 1, 1),
    ("No tests were found!!!", 0, 0),
    ("All tests passed (8 assertions in 5 test cases)", 5, 0),
    (
        "test cases: 5 | 4 passed | 1 failed\nassertions: 9 | 8 passed | 1 failed",
        5,
        0,
    ),
    ("[doctest] test cases: 0 | 0 passed | 0 failed | 3 skipped", 0, 3),
    (MESON, 5, 2),
    (MAVEN, 4, 1),
    ("Tests run: 0, Failures: 0, Errors: 0, Skipped: 0", 0, 0),
    ("[INFO] No tests to run.", 0, 0),
    ("OK (5 tests)", 5, 0),
    (
        "[         5 tests started         ]\n[         5 tests successful      ]",
        5,
        0,
    ),
    ("> Task :test NO-SOURCE", 0, 0),
    (
        "> Task :test FAILED\n\n7 tests completed, 1 failed, 2 skipped",
        5,
        2,
    ),
    (
        "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 3 ms - app.dll",
        5,
        1,
    ),
    ("No test is available in app.dll. Make sure that …", 0, 0),
    (
        "Test summary: total: 5, failed: 0, succeeded: 4, skipped: 1, duration: 1.0s",
        4,
        1,
    ),
    ("Total tests: 5\n     Passed: 4\n    Skipped: 1\n", 4, 1),
    ("5 examples, 0 failures, 1 pending", 4, 1),
    ("0 examples, 0 failures", 0, 0),
    ("5 runs, 8 assertions, 0 failures, 0 errors, 1 skips", 4, 1),
    ("OK (5 tests, 8 assertions)", 5, 0),
    ("Tests: 5, Assertions: 8, Failures: 1, Skipped: 2.", 3, 2),
    ("No tests executed!", 0, 0),
    ("2 doctests, 5 tests, 0 failures, 1 skipped", 6, 1),
    ("1..0 # SKIP nothing here", 0, 0),
    ("1..3\nok 1 - a\nnot ok 2 - b\nok 3 # skip no net", 2, 1),
    ("All tests successful.\nFiles=1, Tests=5,  0 wallclock secs", 5, 0),
    // What is still to do and fails ran to no end; what passes already, ran.
    (
        "TAP version 14\nok 1 # TODO done\nnot ok 2 - b # TODO later\nnot ok 3 # todo",
        1,
        2,
    ),
    ("ok 1 - a\nok 2 - b", 2, 0),
    (
        "1..2\n    ok 1 - x\n    ok 2 - y\n    1..2\nok 1 - a\nok 2 - b",
        2,
        0,
    ),
    ("1..3\nok 1\nok 2\nok 3\n2 passed in 0.01s", 2, 0),
    ("3 passed in 0.01s\n...\nRan 2 tests in 0.001s\n\nOK", 5, 0),
];

/// Outputs that say nothing about a number of tests.
pub(super) const UNKNOWN: &[&str] = &[
    "",
    "all is well",
    "ok  \tapp\t0.01s",
    "ok  \tapp\t(cached)\n?   \tapp/b\t[no test files]",
    "> Task :a:test NO-SOURCE\n> Task :b:test",
    "> Task :test UP-TO-DATE",
    "Compiling 0 tests",
    "the build was done in 3.2s",
    "ok then",
    "Tests: see below",
    "running 3 servers",
    "ok, 3 of them",
    "ok 3rd try",
    "this is not ok 1",
    "99999999999999999999999 passed in 0.1s",
];

/// Outputs that tell of tests that failed, or of what else failed beside them.
pub(super) const FAILED: &[(&str, u64)] = &[
    (
        "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        2,
    ),
    (
        "     Summary [   0.005s] 3/12 tests run: 2 passed, 1 failed, 0 skipped",
        1,
    ),
    (
        "     Summary [   0.005s] 3 tests run: 1 passed, 1 failed, 1 timed out, 0 skipped",
        2,
    ),
    ("1 failed, 2 passed, 1 xfailed, 1 error in 61.20s (0:01:01)", 2),
    (
        "Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=2, expected failures=4)",
        3,
    ),
    (
        "Ran 3 tests in 0.001s\r\n\r\nFAILED (failures=1, skipped=1)\r\n",
        1,
    ),
    ("Ran 1 test in 0.001s\n\nFAILED (unexpected successes=1)", 1),
    (
        "--- FAIL: TestA (0.00s)\n    a_test.go:5: no\nFAIL\nFAIL\tapp\t0.01s",
        1,
    ),
    ("ok  \tapp\t0.01s\nFAIL\tapp/b [build failed]", 1),
    (
        r#"{"Action":"fail","Package":"app","Test":"TestA"}
{"Action":"fail","Package":"app"}"#,
        1,
    ),
    (
        "Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total",
        1,
    ),
    ("      Tests  2 failed | 3 passed (5)", 2),
    ("\n  5 passing (12ms)\n  2 pending\n  1 failing\n", 1),
    ("5 specs, 1 failure", 1),
    (" 5 pass\n 2 fail\nRan 7 tests across 1 file. [10.00ms]", 2),
    ("FAILED | 5 passed | 1 failed (12ms)", 1),
    ("# tests 3\n# pass 1\n# fail 1\n# cancelled 1\n", 2),
    (
        "[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:",
        1,
    ),
    ("50% tests passed, 1 tests failed out of 2", 1),
    (
        "test cases: 5 | 4 passed | 1 failed\nassertions: 9 | 8 passed | 1 failed",
        1,
    ),
    (MESON, 1),
    ("[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0", 2),
    (
        "[         5 tests started         ]\n[         1 tests failed          ]",
        1,
    ),
    ("> Task :test FAILED\n\n7 tests completed, 1 failed, 2 skipped", 1),
    ("> Task :a:test\n> Task :b:test FAILED", 1),
    (
        "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 3 ms - app.dll",
        1,
    ),
    (
        "Test summary: total: 5, failed: 2, succeeded: 3, skipped: 0, duration: 1.0s",
        2,
    ),
    ("Total tests: 5\n     Passed: 3\n     Failed: 2\n", 2),
    ("12 examples, 2 failures", 2),
    ("5 runs, 8 assertions, 1 failures, 1 errors, 0 skips", 2),
    ("Tests: 5, Assertions: 8, Failures: 1, Skipped: 2.", 1),
    ("5 tests, 1 failure", 1),
    ("1..3\nok 1 - a\nnot ok 2 - b\nok 3 # skip no net", 1),
    ("Files=1, Tests=5,  0 wallclock secs\nResult: FAIL", 1),
    ("Result: FAIL", 1),
    ("not ok 1 - a", 1),
    ("TAP version 13\nnot ok\nnot ok - b", 2),
    ("1..2\nok 1\nBail out! no database", 1),
    // A subtest is a part of its parent, unless that one passes for all that, or never comes.
    ("1..1\n    not ok 1 - x\n    ok 2 - y\n    1..2\nnot ok 1 - a", 1),
    ("1..1\n    not ok 1 - x\n    ok 2 - y\n    1..2\nok 1 - a", 1),
    ("1..1\n        not ok 1 - x\n    not ok 1 - y\nok 1 - a", 1),
    ("TAP version 14\n    not ok 1 - x", 1),
    ("1..2\nok 1 - a {\n    not ok 1 - x\n}\nok 2 - b", 1),
    ("1..2\nnot ok 1 - a {\n    not ok 1 - x\n}\nok 2 - b", 1),
    ("ok 1 - a\n  ---\n  told: more\nnot ok 2 - b", 1),
    (
        "1..1\n    ---\n    told: more\n    ...\n    not ok 1 - x\nok 1 - a",
        1,
    ),
    ("Ran 2 tests in 0.001s\nOK\nFAILED (failures=1)", 1),
    (
        "[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] 0 tests, listed below:",
        2,
    ),
    // A file of tests that does not load.
    (
        "Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total",
        1,
    ),
    (
        " Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)",
        1,
    ),
    (
        "[         1 containers failed     ]\n[         5 tests started         ]",
        1,
    ),
];

/// Summaries that are well, one of each family, as a script may print them beside what its tests say.
pub(super) const WELL: &[&str] = &[
    "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "     Summary [   0.005s] 5 tests run: 5 passed, 0 skipped",
    "===== 5 passed in 0.12s =====",
    "Ran 5 tests in 0.001s\n\nOK",
    "--- PASS: TestA (0.00s)\nok  \tapp\t0.01s",
    "Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total",
    " Test Files  1 passed (1)\n      Tests  5 passed (5)",
    "  5 passing (12ms)\n  0 failing",
    "5 specs, 0 failures",
    " 5 pass\n 0 fail\nRan 5 tests across 1 file. [10.00ms]",
    "ok | 5 passed | 0 failed (12ms)",
    "# tests 5\n# pass 5\n# fail 0\n# cancelled 0",
    "[==========] 5 tests from 1 test suite ran. (0 ms total)\n[  FAILED  ] 0 tests, listed below:",
    "100% tests passed, 0 tests failed out of 5",
    "All tests passed (8 assertions in 5 test cases)",
    "Ok:                 5\nExpected Fail:      0\nFail:               0\n\n\n\n\n\n",
    "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
    "OK (5 tests)",
    "5 tests completed, 0 failed",
    "Test summary: total: 5, failed: 0, succeeded: 5, skipped: 0, duration: 1.0s",
    "5 examples, 0 failures",
    "5 runs, 8 assertions, 0 failures, 0 errors, 0 skips",
    "OK (5 tests, 8 assertions)",
    "5 tests, 0 failures",
    "All tests successful.\nFiles=1, Tests=5,  0 wallclock secs",
    "1..1\nok 1 - a",
];
