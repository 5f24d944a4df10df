//! Proposals that the OODA loop rejects, and what they leave behind.

use serde_json::Value;

use crate::ooda_place::{FILE, OodaPlace, answers, new_test};

/// One proposal for the program in shell, and the reason for which it is rejected.
#[track_caller]
fn check_rejected(answer: &str, reason: &str, words: &str) {
    let place = OodaPlace::shell(&answers(&[answer]), FILE);
    let result = place.result(&["--auto"]);
    assert_eq!(result["stopped"], "no_progress", "{result:#}");
    assert_eq!(result["rejected"][0]["reason"], reason, "{result:#}");
    let message = result["rejected"][0]["message"].as_str().unwrap();
    assert!(message.contains(words), "{message}");
    assert_eq!(result["before"], result["after"]);
    assert!(place.subjects().is_empty());
    assert_eq!(place.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_no_patch_is_rejected() {
    check_rejected(
        "I would test the subtraction.\n",
        "no_patch",
        "does not name the files",
    );
}

#[test]
fn a_patch_that_does_not_apply_is_rejected() {
    let patch = "--- a/tests/test_add.sh\n+++ b/tests/test_add.sh\n@@ -1,2 +1,3 @@\n . ./other.sh\n+true\n";
    check_rejected(patch, "does_not_apply", "tests/test_add.sh");
}

#[test]
fn a_patch_of_the_program_is_rejected() {
    let patch =
        "--- a/calc.sh\n+++ b/calc.sh\n@@ -1,3 +1,3 @@\n add() {\n-    echo $(($1 + $2))\n+    echo 3\n }\n";
    check_rejected(patch, "not_a_test", "calc.sh");
}

#[test]
fn a_path_out_of_the_project_is_rejected() {
    let patch = "--- /dev/null\n+++ b/tests/../../away.sh\n@@ -0,0 +1,1 @@\n+true\n";
    check_rejected(patch, "no_patch", "away.sh");
}

#[test]
fn a_test_that_fails_is_rejected() {
    let patch = new_test("test_sub.sh", &[". ./calc.sh", "[ \"$(sub 3 1)\" = 1 ]"]);
    check_rejected(&patch, "tests_fail", "exit code 1");
}

#[test]
fn show_marks_a_trial_that_was_rejected() {
    let patch = new_test("test_sub.sh", &[". ./calc.sh", "[ \"$(sub 3 1)\" = 1 ]"]);
    let place = OodaPlace::shell(&answers(&[&patch]), FILE);
    let result = place.result(&["--auto"]);
    assert_eq!(result["rejected"][0]["reason"], "tests_fail", "{result:#}");
    let shown = place.call(&["show", "last"]).stdout;
    let trial = shown.lines().find(|line| line.contains("rejected:"));
    assert!(
        trial.is_some_and(|line| line.trim_start().starts_with('✗')),
        "{shown}"
    );
    let story = place.call(&["show", "last", "--format", "json"]).stdout;
    let story: Value = serde_json::from_str(&story).unwrap();
    let steps = story["steps"].as_array().unwrap();
    assert_eq!(
        steps.iter().filter(|step| step["rejected"].is_string()).count(),
        1,
        "{story:#}"
    );
}

#[test]
fn a_test_that_never_ends_is_rejected() {
    let place = OodaPlace::shell(
        &answers(&[&new_test("test_sub.sh", &["while true; do sleep 1; done"])]),
        &format!("{FILE}timeout_seconds = 3\n"),
    );
    let result = place.result(&["--auto"]);
    assert_eq!(result["rejected"][0]["reason"], "tests_hang", "{result:#}");
}

#[test]
fn a_test_that_covers_nothing_new_is_rejected() {
    let patch = new_test("test_more.sh", &[". ./calc.sh", "[ \"$(add 2 2)\" = 4 ]"]);
    check_rejected(&patch, "coverage_not_raised", "did not rise");
}

#[test]
fn a_test_cannot_leave_the_sandbox() {
    let patch = new_test(
        "test_away.sh",
        &[
            ". ./calc.sh",
            "[ \"$(sub 3 1)\" = 2 ] || exit 1",
            "echo here > \"$HOME/../../../../away\" 2> /dev/null",
            "ln -s /etc/hosts tests/hosts 2> /dev/null",
            "echo $$ > /var/tmp/gemicro-away 2> /dev/null",
            "true",
        ],
    );
    let place = OodaPlace::shell(&answers(&[&patch]), FILE);
    let result = place.result(&["--auto", "--target", "30"]);
    assert_eq!(result["stopped"], "target", "{result:#}");
    assert!(!std::path::Path::new("/var/tmp/gemicro-away").exists());
    // What the test left beside itself is not committed.
    assert_eq!(
        place.git(&["diff", "--name-only", "main", "task/coverage"]),
        "tests/test_away.sh\n"
    );
}

#[test]
fn tests_that_are_there_stay_as_they_are() {
    let patch = "--- a/tests/test_add.sh\n+++ b/tests/test_add.sh\n@@ -1,2 +1,2 @@\n . ./calc.sh\n\
                 -[ \"$(add 1 2)\" = 3 ]\n+[ \"$(sub 3 1)\" = 2 ]\n";
    check_rejected(patch, "not_a_test", "removes the line");
}

#[test]
fn what_a_rejected_test_left_helps_no_other() {
    let hostile = new_test(
        "test_bad.sh",
        &[
            "git=$(git rev-parse --git-dir)",
            "echo tests/test_sub.sh >> \"$git/info/exclude\"",
            "touch \"$git/index.lock\" \"$HOME/left\" \"$TMPDIR/left\" lcov.info",
            "mkdir -p tests/locked && chmod 000 tests/locked",
            "exit 1",
        ],
    );
    let good = new_test(
        "test_sub.sh",
        &[
            ". ./calc.sh",
            "[ ! -e \"$HOME/left\" ] && [ ! -e \"$TMPDIR/left\" ] && [ ! -e tests/locked ] || exit 1",
            "[ \"$(sub 3 1)\" = 2 ]",
        ],
    );
    let file = FILE.replace("attempts = 1", "attempts = 2");
    let place = OodaPlace::shell(&answers(&[&hostile, &good]), &file);
    let result = place.result(&["--auto", "--target", "30"]);
    assert_eq!(result["stopped"], "target", "{result:#}");
    assert_eq!(result["rejected"][0]["reason"], "tests_fail");
    assert_eq!(
        place.git(&["diff", "--name-only", "main", "task/coverage"]),
        "tests/test_sub.sh\n"
    );
}
