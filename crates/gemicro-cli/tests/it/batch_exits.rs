//! What the exit code of a batch says: every task completed, some did, or none; and what a failed command means.

use std::io::Read;
use std::process::Stdio;

use gemicro_sim::scenario::ScenarioEndpoint;
use serde_json::json;

use crate::batch_place::{Place, last_line, prompt, shell, states};
use crate::stopping::pseudo_terminal;

#[test]
fn a_command_that_fails_is_a_failed_task_and_nothing_runs_after_it() {
    let place = Place::alone();
    let mut after = shell("after", "echo x >> ran.txt");
    after["depends_on"] = json!(["fails"]);
    let tasks = json!([
        shell("fails", "echo out; echo why >&2; exit 1"),
        after,
        shell("refers", "echo ${fails.output.exit_code} >> ran.txt"),
        shell("fine", "echo y"),
    ]);
    let called = place.submit(&tasks.to_string(), &[]);
    assert_eq!(called.code, 9, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("1 of 4 tasks completed, 1 failed, 2 skipped"),
        "{}",
        called.stderr
    );
    let answer = last_line(&called);
    assert_eq!(
        states(&answer),
        [
            ("fails", "failed"),
            ("after", "skipped"),
            ("refers", "skipped"),
            ("fine", "completed")
        ]
    );
    let failed = &answer["results"][0];
    assert_eq!(
        (
            &failed["output"]["stdout"],
            &failed["output"]["stderr"],
            &failed["output"]["exit_code"]
        ),
        (&json!("out\n"), &json!("why\n"), &json!(1))
    );
    assert_eq!(failed["error"], "the command ended with exit code 1: why");
    assert_eq!(failed["error_kind"], "command_failed");
    assert_eq!(place.lines("ran.txt").len(), 0);
    for verb in ["wait", "results"] {
        assert_eq!(place.batch(9, &[verb, "last"]), answer);
    }
    assert_eq!(place.batch(0, &["poll", "last"]), answer);
}

#[test]
fn an_expected_exit_code_is_a_completed_task_whose_code_can_be_referred_to() {
    let place = Place::alone();
    let mut grep = shell("grep", "grep nothing /dev/null");
    grep["parameters"]["expect_exit"] = json!([0, 1]);
    let mut any = shell("any", "exit 77");
    any["parameters"]["expect_exit"] = json!("any");
    let tasks = json!([
        grep,
        any,
        shell(
            "refers",
            "echo \"${grep.output.exit_code} ${any.output.exit_code}\""
        )
    ]);
    let answer = place.must(&tasks, &[]);
    assert_eq!(answer["results"][2]["output"]["stdout"], "1 77\n");
    for verb in ["wait", "results"] {
        assert_eq!(place.batch(0, &[verb, "last"]), answer);
    }
}

#[test]
fn no_task_completed_is_the_code_of_the_first_failure() {
    let place = Place::alone();
    // The skipped task comes first, and says less than the one it was skipped for.
    let mut after = shell("after", "true");
    after["depends_on"] = json!(["fails"]);
    let answer = place.ends(4, &json!([after, shell("fails", "false")]), &[]);
    assert_eq!(states(&answer), [("after", "skipped"), ("fails", "failed")]);
    assert_eq!(answer["status"], "failed");
    place.batch(4, &["wait", "last"]);
}

#[test]
fn a_batch_whose_tasks_are_all_rejected_is_not_handed_in_well() {
    let place = Place::resident();
    let odd = json!([{ "task_id": "a", "type": "unheard_of", "parameters": {} }]);
    let answer = place.ends(2, &odd, &[]);
    assert_eq!(states(&answer), [("a", "rejected")]);
    // One that begins is taken, whatever it ends with; waiting for it tells that.
    let first = place.must(
        &json!([shell("a", "exit 3"), shell("b", "true")]),
        &["--key", "k"],
    );
    let id = first["response_id"].as_str().unwrap();
    place.batch(9, &["wait", id]);
    // The same key again is the same batch, which has ended.
    place.ends(
        9,
        &json!([shell("a", "exit 3"), shell("b", "true")]),
        &["--key", "k"],
    );
}

#[test]
fn a_flaky_command_is_tried_as_often_as_it_says_where_that_does_no_harm() {
    let place = Place::alone();
    let flaky = "echo x >> ran.txt; [ $(wc -l < ran.txt) -ge 3 ]";
    let mut task = shell("flaky", flaky);
    task["max_attempts"] = json!(3);
    let answer = place.ends(4, &json!([task]), &[]);
    assert_eq!(states(&answer), [("flaky", "failed")]);
    assert_eq!(place.lines("ran.txt").len(), 1, "it may have changed something");
    std::fs::remove_file(place.path("ran.txt")).unwrap();
    task["idempotent"] = json!(true);
    place.must(&json!([task]), &[]);
    assert_eq!(place.lines("ran.txt").len(), 3);
}

#[test]
fn only_tasks_in_a_state_are_run_again() {
    let place = Place::alone();
    let mut after = shell("after", "echo x");
    after["depends_on"] = json!(["late"]);
    let mut late = shell("late", "until [ -e ok ]; do sleep 0.05; done");
    late["deadline_seconds"] = json!(1);
    let first = place.ends(
        9,
        &json!([shell("fails", "false"), late, after, shell("fine", "true")]),
        &[],
    );
    assert_eq!(
        states(&first),
        [
            ("fails", "failed"),
            ("late", "expired"),
            ("after", "skipped"),
            ("fine", "completed")
        ]
    );
    std::fs::write(place.path("ok"), "").unwrap();
    let id = first["response_id"].as_str().unwrap();
    let none = place.batch(2, &["retry", id, "--only", "interrupted"]);
    assert_eq!(none["error"], format!("no task of batch {id} is interrupted"));
    let again = place.batch(9, &["retry", id, "--only", "expired"]);
    assert_eq!(
        states(&again),
        [
            ("fails", "failed"),
            ("late", "completed"),
            ("after", "completed"),
            ("fine", "completed")
        ]
    );
}

#[test]
fn an_unexpected_exit_code_is_named_with_the_expected_ones_and_never_cut() {
    let place = Place::alone();
    let mut odd = shell(
        "odd",
        "echo 'a reason that is much longer than a narrow screen is wide, to its last WORD' >&2",
    );
    odd["parameters"]["expect_exit"] = json!([1, 2]);
    let answer = place.ends(4, &json!([odd]), &[]);
    let error = answer["results"][0]["error"].as_str().unwrap();
    assert!(error.contains("exit code 0 instead of 1 or 2"), "{error}");
    let mut narrow = place.command(&["batch", "results", "last", "--format", "text"]);
    let shown = place
        .simulated
        .world
        .finish(narrow.env("COLUMNS", "60").output().unwrap());
    assert!(shown.stdout.contains("WORD"), "{}", shown.stdout);
    assert!(
        shown.stdout.lines().all(|line| line.chars().count() <= 60),
        "{}",
        shown.stdout
    );
    let letters = place.call(&["dead-letters"]);
    assert!(
        letters.stderr.contains("`gemicro batch retry RUN`"),
        "{}",
        letters.stderr
    );
    assert!(
        !letters.stderr.contains("`gemicro retry RUN`"),
        "{}",
        letters.stderr
    );
}

/// What the program prints on a terminal: stdout and stderr together.
fn on_terminal(place: &Place, arguments: &[&str]) -> String {
    let (mut ours, theirs) = pseudo_terminal();
    let mut command = place.command(arguments);
    command
        .stdin(Stdio::null())
        .stdout(theirs.try_clone().unwrap())
        .stderr(theirs)
        .env("NO_COLOR", "1");
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut screen = Vec::new();
    // The end of a pseudo-terminal is an error.
    let _ = ours.read_to_end(&mut screen);
    child.wait().unwrap();
    String::from_utf8(screen).unwrap().replace("\r\n", "\n")
}

#[test]
fn a_terminal_gets_text_and_every_error_once() {
    let place = Place::alone();
    place.ends(9, &json!([shell("good", "true"), shell("bad", "false")]), &[]);
    let shown = on_terminal(&place, &["batch", "wait", "last"]);
    assert!(
        shown.starts_with("Batch ") && shown.contains("STATE") && !shown.contains('{'),
        "{shown}"
    );
    for format in [&[][..], &["--format", "json"]] {
        let shown = on_terminal(&place, &[&["batch", "wait", "nosuchbatch"][..], format].concat());
        assert_eq!(shown.matches("nosuchbatch").count(), 1, "{shown}");
        assert_eq!(shown.starts_with('{'), !format.is_empty(), "{shown}");
    }
}

#[test]
fn tokens_are_counted_before_a_prompt_is_refused() {
    let place = Place::alone();
    let counts = || place.simulated.requests(ScenarioEndpoint::CountTokens).len();
    // 28,000 bytes, and a quarter of that in tokens.
    let long = "word ".repeat(5_600);
    let tasks = json!([prompt("long", &long)]);
    place.must(&tasks, &["--budget", "20k"]);
    assert_eq!(counts(), 1);
    // What fits anyway is not counted.
    place.must(&tasks, &["--budget", "50k"]);
    assert_eq!(counts(), 1);
    // The count does not fit either.
    let answer = place.ends(5, &tasks, &["--budget", "9k"]);
    assert_eq!(answer["results"][0]["error_kind"], "budget_exceeded", "{answer}");
    assert_eq!(counts(), 2);
}
