//! `gemicro payload extract`: one answer, many answers, and lines that are none.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::golden;
use crate::program::{Called, World};

const CASES: &str = include_str!("../../../gemicro-pipeline/tests/cases/verdict-cases.jsonl");

fn extract(world: &World, arguments: &[&str], input: &[u8]) -> Called {
    let mut command = world.command(&["payload", "extract"]);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let called = world.finish(child.wait_with_output().unwrap());
    writer.join().unwrap();
    called
}

#[test]
fn the_labelled_answers_get_the_lines_that_their_labels_say() {
    let world = World::new();
    let cases: Vec<Value> = CASES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|case: &Value| case.get("expand").is_none())
        .collect();
    let input: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let called = extract(&world, &["--jsonl"], input.as_bytes());
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    let found: Vec<Value> = called
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(found.len(), cases.len());
    for (case, found) in cases.iter().zip(found) {
        let mut expected = case["expect"].clone();
        for key in ["tagged", "gate", "path", "honesty", "backlog"] {
            if let Some(mark) = case.get(key) {
                expected[key] = mark.clone();
            }
        }
        assert_eq!(found, expected, "{}", case["id"]);
    }
}

#[test]
fn one_answer_gets_one_line() {
    let world = World::new();
    let called = extract(
        &world,
        &["--role", "plan_reviewer", "--nonce", "-f1c09ab77de2350"],
        b"Fine.\n\n```json gemicro:-f1c09ab77de2350\n{\"verdict\": \"APPROVE\"}\n```\n",
    );
    assert_eq!(
        (called.code, called.stdout.as_str(), called.stderr.as_str()),
        (
            0,
            "{\"state\":\"ok\",\"payload\":{\"verdict\":\"APPROVE\"},\"tagged\":true}\n",
            ""
        )
    );
    let arguments = ["--role", "plan_reviewer", "--nonce", "4f1c09ab77de2350"];
    // Bytes that are no text spoil a verdict; they make none.
    for (input, expected) in [
        (&b""[..], "{\"state\":\"missing\",\"tagged\":false}\n"),
        (
            b"\xff\n{\"verdict\":\"APPROVE\xff\"}",
            "{\"state\":\"missing\",\"tagged\":false}\n",
        ),
        (
            b"{\"verdict\":\"APPROVE\"}",
            "{\"state\":\"ok\",\"payload\":{\"verdict\":\"APPROVE\"},\"tagged\":false,\"gate\":\"refuse\"}\n",
        ),
    ] {
        let called = extract(&world, &arguments, input);
        assert_eq!((called.code, called.stdout.as_str()), (0, expected));
    }
}

#[test]
fn a_bad_line_has_its_own_error_and_the_next_one_is_read() {
    let world = World::new();
    let good = json!({"role": "developer", "nonce": "4f1c09ab77de2350", "output": "", "more": 1});
    let no_role = json!({"role": "boss", "nonce": "4f1c09ab77de2350", "output": ""});
    let no_nonce = json!({"role": "developer", "nonce": "short", "output": ""});
    let input = format!("{good}\nnot JSON\n{no_role}\n{no_nonce}\n\n{good}");
    golden!(
        "payload_bad_lines",
        world.screen(&extract(&world, &["--jsonl"], input.as_bytes()))
    );
}

#[test]
fn arguments_are_checked() {
    let world = World::new();
    let wrong: [&[&str]; 4] = [
        &[],
        &["--role", "auditor"],
        &["--role", "auditor", "--nonce", "short"],
        &["--jsonl", "--role", "auditor"],
    ];
    for arguments in wrong {
        let called = extract(&world, arguments, b"");
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{arguments:?}");
    }
}
