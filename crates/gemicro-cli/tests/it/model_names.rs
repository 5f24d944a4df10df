//! Names of models that cannot be meant: a key, or a model that another provider has.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use gemicro_sim::scenario::ScenarioEndpoint;

use crate::simulated::{Simulated, research};

fn key() -> String {
    format!("AIza{}", "SyA0123456789abcdefghijklmnopqrstuv")
}

#[test]
fn a_model_of_another_provider_is_refused_with_the_backend_that_has_it() {
    let simulated = Simulated::new(&research(1));
    for (model, backend) in [
        ("claude-opus-4-8", "`claude`"),
        ("gpt-5.2-codex", "`codex`"),
        ("o3", "`codex`"),
    ] {
        let called = simulated.call(&["--model", model, "What is it?"]);
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert!(called.stderr.contains(backend), "{}", called.stderr);
        let command = format!("gemicro --backend {} --model {model}", backend.trim_matches('`'));
        assert!(called.stderr.contains(&command), "{}", called.stderr);
    }
    for (call, command) in [
        (
            &[
                "--backend",
                "claude",
                "--model",
                "gemini-3.5-flash",
                "What is it?",
            ][..],
            "gemicro --backend gemini-cli --model gemini-3.5-flash",
        ),
        (
            &["ask", "--agent", "claude", "--model", "gpt-5.5-codex", "Do it"],
            "gemicro ask --agent codex --model gpt-5.5-codex",
        ),
        (
            &["ask", "--branch", "fix", "Do it"],
            "gemicro ask --branch task/fix",
        ),
        (
            &["run", "--dir", "docs", "--task", "Do it", "--budget", "$5"],
            "--budget 2M",
        ),
        (
            &["--offline", "--source", "https://example.org", "What is it?"],
            "gemicro --source https://example.org",
        ),
        (&["ask", " "], "`gemicro ask --help` lists the options"),
        (&["ask", "--session", "zzz", "Do it"], "`gemicro show RUN`"),
    ] {
        let called = simulated.call(call);
        assert_eq!(called.code, 2, "{call:?}: {}", called.stderr);
        let (_, hint) = called.stderr.split_once("hint: ").expect("a hint");
        assert!(hint.contains(command), "{call:?}: {}", called.stderr);
    }
    let called = simulated.call(&["chat", "--model", "api:claude-opus-4-8"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(simulated.requests(ScenarioEndpoint::Interactions).is_empty());
}

#[test]
fn a_key_in_the_place_of_a_model_is_refused_and_stored_nowhere() {
    let simulated = Simulated::new(&research(1));
    let key = key();
    let world = &simulated.world;
    let tasks = world.path("tasks.json");
    let task = serde_json::json!([{ "task_id": "a", "type": "prompt", "parameters": { "prompt": "x", "model": key } }]);
    std::fs::write(&tasks, task.to_string()).unwrap();
    let ways: [&[&str]; 7] = [
        &["--model", &key, "What is it?"],
        &["research", "--backend", "openai", "--model", &key, "What is it?"],
        &["ask", "--cd", "docs", "--model", &key, "Do it"],
        &[
            "ask",
            "--cd",
            "docs",
            "--model",
            "0123456789abcdef0123456789abcdef",
            "Do it",
        ],
        &["run", "--dir", "docs", "--task", "Do it", "--model", &key],
        &["chat", "--model", &key],
        &["batch", "submit", "tasks.json"],
    ];
    for way in ways {
        let mut command = simulated.command(way);
        command.env("OPENAI_BASE_URL", simulated.running.url());
        let called = world.finish(command.output().unwrap());
        assert_eq!(called.code, 2, "{way:?}: {}", called.stderr);
        assert!(
            called.stderr.contains("key or token"),
            "{way:?}: {}",
            called.stderr
        );
        assert!(
            !called.stderr.contains(&key) && !called.stdout.contains(&key),
            "{way:?}"
        );
    }
    for arguments in [&["What is it?"][..], &["config", "show"]] {
        let called = world.finish(
            simulated
                .command(arguments)
                .env("GEMICRO_MODEL", &key)
                .output()
                .unwrap(),
        );
        assert_eq!(called.code, 2, "{arguments:?}: {}", called.stderr);
        assert!(
            !called.stderr.contains(&key) && !called.stdout.contains(&key),
            "{}",
            called.stderr
        );
    }
    let mut chat = simulated.command(&["chat", "--model", "api:gemini-3.5-flash", "--summariser", "none"]);
    let mut chat = chat
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(chat.stdin.take().unwrap(), "/model {key}").unwrap();
    let chat = world.finish(chat.wait_with_output().unwrap());
    assert!(
        chat.stderr.contains("key or token") && !chat.stderr.contains(&key),
        "{}",
        chat.stderr
    );
    assert!(simulated.requests(ScenarioEndpoint::Interactions).is_empty());
    assert_not_in(&world.path("home"), &key);
}

fn assert_not_in(folder: &Path, secret: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            assert_not_in(&path, secret);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "it is in {}", path.display());
        }
    }
}

#[test]
fn an_empty_name_and_blanks_are_no_model() {
    let simulated = Simulated::new(&research(1));
    for (model, words) in [
        ("", "is empty"),
        ("  ", "is empty"),
        ("gemini 3 flash", "contains whitespace"),
    ] {
        for way in [
            &["--model", model, "What is it?"][..],
            &["research", "--backend", "claude", "--model", model, "What is it?"],
            &["ask", "--cd", "docs", "--model", model, "Do it"],
            &["run", "--dir", "docs", "--task", "Do it", "--model", model],
        ] {
            let called = simulated.call(way);
            assert_eq!(called.code, 2, "{way:?}: {}", called.stderr);
            assert!(called.stderr.contains(words), "{way:?}: {}", called.stderr);
        }
    }
    assert!(simulated.requests(ScenarioEndpoint::Interactions).is_empty());
}

#[test]
fn a_model_that_does_not_exist_is_refused_with_those_that_do() {
    let simulated = Simulated::new(&research(1));
    let called = simulated.call(&["ask", "--cd", "docs", "--model", "claud-opus-4-8", "Do it"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(
        called.stderr.contains("known models like it: claude-opus-4-8"),
        "{}",
        called.stderr
    );
    assert!(!called.stderr.contains("gemicro doctor"), "{}", called.stderr);
}
