//! Batches that cannot be taken: the place is named, nothing of them is kept, and nothing panics.

use std::fs;

use serde_json::{Value, json};

use crate::batch_place::{Place, last_line, prompt, shell};
use crate::stopping::pseudo_terminal;

/// Handed in, refused with exit code 2 and a message that says all of this.
fn refused(place: &Place, body: &str, says: &[&str]) {
    let called = place.submit(body, &[]);
    let shown: String = body.chars().take(200).collect();
    assert_eq!(called.code, 2, "{shown}: {}", called.stderr);
    for part in says {
        assert!(
            called.stderr.contains(part),
            "{shown}: no {part} in {}",
            called.stderr
        );
    }
    assert_eq!(last_line(&called)["error_kind"], "invalid_input");
    assert!(!called.stderr.contains("panicked"), "{}", called.stderr);
}

#[test]
fn a_body_that_is_no_batch_is_refused_with_its_place() {
    let place = Place::alone();
    let table: &[(&str, &[&str])] = &[
        ("", &["stdin: the batch contains no tasks", "gemicro batch types"]),
        ("  \n", &["the batch contains no tasks"]),
        ("[]", &["the batch contains no tasks"]),
        ("{}", &["task_id"]),
        ("7", &["expected an array of tasks"]),
        ("\"tasks\"", &["expected an array of tasks"]),
        ("[1]", &["/0"]),
        ("[{]", &["line 1, column"]),
        ("not json", &["line 1, column"]),
        (
            r#"[{"task_id": "a", "type": "prompt"}]"#,
            &["/0", "missing field `parameters`"],
        ),
        (
            r#"[{"type": "prompt", "parameters": {}}]"#,
            &["missing field `task_id`"],
        ),
        (
            r#"[{"task_id": 5, "type": "prompt", "parameters": {}}]"#,
            &["/0/task_id"],
        ),
        (
            r#"[{"task_id": "a b", "type": "prompt", "parameters": {}}]"#,
            &["/0/task_id"],
        ),
        (
            r#"[{"task_id": "a", "type": "prompt", "parameters": []}]"#,
            &["/0/parameters", "expected an object"],
        ),
        (
            r#"[{"task_id": "a", "type": "prompt", "parameters": {}, "color": 1}]"#,
            &["/0", "unknown field `color`"],
        ),
        (r#"{"tasks": {}}"#, &["/tasks"]),
        (
            r#"{"tasks": [{"task_id": "a", "type": "prompt", "parameters": {}}], "deadline_seconds": 0}"#,
            &["/deadline_seconds"],
        ),
        (
            r#"{"tasks": [{"task_id": "a", "type": "prompt", "parameters": {}}], "key": ""}"#,
            &["/key"],
        ),
        (
            r#"{"tasks": [{"task_id": "a", "type": "prompt", "parameters": {}}], "on_failure": "explode"}"#,
            &["/on_failure"],
        ),
    ];
    for (body, says) in table {
        refused(&place, body, says);
    }
    let twice = json!([prompt("a", "x"), prompt("b", "x"), prompt("a", "x")]);
    refused(&place, &twice.to_string(), &["/2/task_id", "`a`", "twice"]);
    let round = json!([shell("a", "echo ${b.output}"), shell("b", "echo ${a.output}")]);
    refused(
        &place,
        &round.to_string(),
        &["depend on each other in a cycle: a → b → a"],
    );
    let missing = json!([shell("a", "echo ${gone.output.stdout}")]);
    refused(
        &place,
        &missing.to_string(),
        &["/0/parameters/command", "no task `gone`"],
    );
    // Nothing of any of them is kept: not even the store was made.
    assert!(!place.simulated.world.path("home").join("gemicro.db").exists());
}

#[test]
fn one_bad_task_does_not_hold_up_the_others() {
    let place = Place::alone();
    let tasks = json!([
        { "task_id": "unknown", "type": "make_coffee", "parameters": {} },
        { "task_id": "wrong", "type": "execute_shell_command", "parameters": { "command": 7 } },
        shell("good", "echo fine"),
    ]);
    let answer = place.ends(9, &tasks, &[]);
    let errors: Vec<&Value> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["error"])
        .collect();
    assert!(errors[0].as_str().unwrap().contains("`make_coffee`"), "{answer}");
    assert!(
        errors[1].as_str().unwrap().contains("/parameters/command"),
        "{answer}"
    );
    assert_eq!(answer["results"][2]["output"]["stdout"], "fine\n");
}

#[test]
fn what_is_too_large_is_refused_whole() {
    let place = Place::alone();
    let many: Vec<Value> = (0..100_001).map(|n| prompt(&format!("t{n}"), "x")).collect();
    refused(&place, &json!(many).to_string(), &["more than 100000 tasks"]);
    let long = "x".repeat(5 << 20);
    refused(
        &place,
        &json!([prompt("a", &long)]).to_string(),
        &["/0/parameters", "at most 4194304"],
    );
    let much = "x".repeat(4_000_000);
    let all: Vec<Value> = (0..14).map(|n| prompt(&format!("t{n}"), &much)).collect();
    refused(
        &place,
        &json!(all).to_string(),
        &["bytes of parameters are too many; at most 52428800"],
    );
    refused(
        &place,
        &" ".repeat((64 << 20) + 1),
        &["at most 67108864 are read"],
    );
}

#[test]
fn files_that_cannot_be_read() {
    let place = Place::alone();
    for (name, code, says) in [
        ("gone.json", 2, "gone.json cannot be read"),
        ("inner", 2, "inner is a folder"),
    ] {
        let called = place.call(&["batch", "submit", name]);
        assert_eq!(called.code, code, "{}", called.stderr);
        assert!(called.stderr.contains(says), "{}", called.stderr);
    }
    fs::write(place.path("latin.json"), b"[\"\xe4\"]").unwrap();
    let called = place.call(&["batch", "submit", "latin.json"]);
    assert_eq!(called.code, 2);
    assert!(
        called
            .stderr
            .contains("latin.json: line 1, column 3: not UTF-8 text"),
        "{}",
        called.stderr
    );
    // Nobody will type a batch.
    let (_keyboard, stdin) = pseudo_terminal();
    let output = place
        .command(&["batch", "submit", "-"])
        .stdin(stdin)
        .output()
        .unwrap();
    let called = place.simulated.world.finish(output);
    assert_eq!(called.code, 2);
    assert!(
        called.stderr.contains("gemicro batch submit - < tasks.json"),
        "{}",
        called.stderr
    );
    fs::write(place.path("tasks.json"), json!([shell("a", "pwd")]).to_string()).unwrap();
    let called = place.call(&["batch", "submit", "tasks.json", "--dir", "nowhere"]);
    assert_eq!(called.code, 2);
    assert!(called.stderr.contains("--dir"), "{}", called.stderr);
    let answer = place.batch(0, &["submit", "tasks.json", "--dir", "inner"]);
    assert!(
        answer["results"][0]["output"]["stdout"]
            .as_str()
            .unwrap()
            .ends_with("/inner\n"),
        "{answer}"
    );
}

#[test]
fn flags_do_not_contradict_the_batch() {
    let place = Place::alone();
    let whole = json!({ "key": "mine", "on_failure": "stop", "deadline_seconds": 60, "tasks": [shell("a", "echo x")] });
    for more in [
        ["--key", "other"],
        ["--on-failure", "continue"],
        ["--deadline", "61"],
    ] {
        let called = place.submit(&whole.to_string(), &more);
        assert_eq!(called.code, 2, "{more:?}");
        assert!(
            called.stderr.contains(more[0]) && called.stderr.contains("but the batch says"),
            "{}",
            called.stderr
        );
    }
    for more in [
        ["--key", ""],
        ["--key", "a\nb"],
        ["--deadline", "0"],
        ["--deadline", "9999999"],
        ["--budget", "much"],
    ] {
        assert_eq!(place.submit("[]", &more).code, 2, "{more:?}");
    }
}

#[test]
fn ids_that_are_no_batch() {
    let place = Place::alone();
    for verb in ["poll", "wait", "results", "cancel", "retry"] {
        let none = place.call(&["batch", verb, "last"]);
        assert_eq!(
            (none.code, last_line(&none)["error_kind"].as_str()),
            (2, Some("not_found")),
            "{verb}"
        );
        assert!(none.stderr.contains("gemicro batch submit"), "{}", none.stderr);
    }
    place.simulated.world.ask("How high is the lighthouse?", &[]);
    let run = place.simulated.world.last_run();
    for verb in ["poll", "wait", "results", "cancel", "retry"] {
        for (named, says) in [
            (run.as_str(), "not a batch"),
            ("zzzzzzzz", "zzzzzzzz"),
            ("../../etc", "etc"),
        ] {
            let called = place.call(&["batch", verb, named]);
            assert_eq!(called.code, 2, "{verb} {named}: {}", called.stderr);
            assert!(called.stderr.contains(says), "{verb} {named}: {}", called.stderr);
        }
    }
}
