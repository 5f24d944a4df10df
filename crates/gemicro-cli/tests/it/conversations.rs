//! Conversations: imported, exported, listed, renamed and deleted.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::golden;
use crate::program::{Called, World};

pub(crate) const CORPUS: &str =
    include_str!("../../../gemicro-core/tests/data/conversation/conversation.jsonl");

pub(crate) const TALK: &str = concat!(
    r#"{"turn": 1, "role": "user", "text": "Never push to main. What is in a.txt?"}"#,
    "\n",
    r#"{"turn": 2, "role": "assistant", "text": "", "calls": [{"id": "c-1", "name": "read_file", "args": {"path": "a.txt"}}]}"#,
    "\n",
    r#"{"turn": 3, "role": "tool", "text": "\u001b[31mred\u001b[0m \u202eevil\n2 user\n", "call": "c-1", "name": "read_file"}"#,
    "\n\n",
    r#"{"turn": 4, "role": "assistant", "text": "It is red."}"#,
    "\n",
    r#"{"turn": 5, "role": "user", "text": "Thanks. And b.txt?"}"#,
    "\n",
);

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn json_of(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap()
}

/// A world with a file of turns in it.
pub(crate) fn world_with(text: &str) -> World {
    let world = World::new();
    fs::write(world.path("talk.jsonl"), text).unwrap();
    world
}

/// Stores the file of turns; answers the id.
pub(crate) fn import(world: &World) -> String {
    let called = world.must(&["conversations", "import", "talk.jsonl"]);
    let id = called.stdout.trim_end().to_owned();
    assert_eq!((called.stdout, called.stderr), (format!("{id}\n"), String::new()));
    id
}

#[test]
fn what_was_imported_comes_out_again() {
    let world = world_with(CORPUS);
    let first = import(&world);
    let stdout = world.must(&["conversations", "export", &first]).stdout;
    assert_eq!(lines(&stdout), lines(CORPUS));
    world.must(&["conversations", "export", &first, "talk.jsonl"]);
    let second = import(&world);
    assert_ne!(first, second);
    assert_eq!(world.must(&["conversations", "export", "last"]).stdout, stdout);
    let turns =
        |id: &str| json_of(&world.must(&["conversations", "show", id, "--format", "json"]))["turns"].clone();
    assert_eq!(turns(&first), turns(&second));
}

#[test]
fn a_conversation_is_shown_without_its_control_characters() {
    let world = world_with(TALK);
    let id = import(&world);
    golden!(
        "conversations_show",
        world.screen(&world.must(&["conversations", "show", &id[..6]]))
    );
    let object = json_of(&world.must(&["conversations", "show", "last", "--format", "json"]));
    assert_eq!(object["id"], id.as_str());
    assert_eq!(object["name"], "talk");
    assert_eq!(
        object["turns"][2]["text"],
        "\u{1b}[31mred\u{1b}[0m \u{202e}evil\n2 user\n"
    );
    let turns = world.must(&["conversations", "show", &id, "--format", "jsonl"]);
    assert_eq!(lines(&turns.stdout).len(), 5);
}

#[test]
fn bad_files_are_refused_with_their_line() {
    let turn = |number: u64| json!({ "turn": number, "role": "user", "text": "x" }).to_string();
    let call = |number: u64, id: &str| {
        json!({ "turn": number, "role": "assistant", "text": "", "calls": [{ "id": id, "name": "ls" }] })
            .to_string()
    };
    let answer = |number: u64, id: &str| {
        json!({ "turn": number, "role": "tool", "text": "", "call": id, "name": "ls" }).to_string()
    };
    let deep = format!(
        r#"{{"turn": 1, "role": "assistant", "text": "", "calls": [{{"id": "c", "name": "n", "open": true, "args": {}1{}}}]}}"#,
        "[".repeat(124),
        "]".repeat(124)
    );
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b"\n \n".to_vec()),
        ("not JSON", format!("{}\nhello\n", turn(1)).into()),
        ("cut off", turn(1).as_bytes()[..20].to_vec()),
        ("an array", br#"[1, "user", "", [], null, null]"#.to_vec()),
        ("no text", br#"{"turn": 1, "role": "user"}"#.to_vec()),
        (
            "wrong role",
            br#"{"turn": 1, "role": "robot", "text": ""}"#.to_vec(),
        ),
        (
            "negative number",
            br#"{"turn": -1, "role": "user", "text": ""}"#.to_vec(),
        ),
        ("the same twice", format!("{}\n{}", turn(1), turn(1)).into()),
        (
            "decreasing",
            format!("{}\n{}\n\n{}", turn(1), turn(2), turn(1)).into(),
        ),
        ("a gap", format!("{}\n{}", turn(1), turn(3)).into()),
        ("no answer", format!("{}\n{}", call(1, "c"), turn(2)).into()),
        ("no call", answer(1, "c").into()),
        (
            "two answers",
            format!("{}\n{}\n{}", call(1, "c"), answer(2, "c"), answer(3, "c")).into(),
        ),
        (
            "two calls",
            format!("{}\n{}\n{}", call(1, "c"), answer(2, "c"), call(3, "c")).into(),
        ),
        ("not UTF-8", [turn(1).as_bytes(), b"\n\"\xff\""].concat()),
        ("deep", deep.into()),
        ("escapes", b"\"\x1b]0;title\x07\"".to_vec()),
    ];
    let world = World::new();
    let mut messages = String::new();
    for (what, bytes) in cases {
        fs::write(world.path("talk.jsonl"), bytes).unwrap();
        let called = world.call(&["conversations", "import", "talk.jsonl"]);
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{what}");
        assert!(!called.stderr.contains('\u{1b}'));
        messages.push_str(&format!("{what}: {}", called.stderr));
    }
    golden!("conversations_bad_files", messages);
    assert_eq!(world.must(&["conversations", "list"]).stdout, "");
    for missing in ["nowhere.jsonl", "docs"] {
        let called = world.call(&["conversations", "import", missing, "--format", "json"]);
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert_eq!(json_of(&called)["error_kind"], "invalid_input");
    }
}

#[test]
fn a_huge_message_is_refused_and_a_large_one_kept() {
    let line = |n_bytes: usize| {
        let text = "word ".repeat(n_bytes / 5);
        json!({ "turn": 1, "role": "user", "text": text }).to_string()
    };
    let world = world_with(&line(50 * 1024 * 1024));
    let called = world.call(&["conversations", "import", "talk.jsonl"]);
    assert_eq!(called.code, 2);
    assert!(
        called.stderr.contains("talk.jsonl:1: this turn is too long"),
        "{}",
        called.stderr
    );
    fs::write(world.path("talk.jsonl"), line(1024 * 1024)).unwrap();
    let id = import(&world);
    let called = world.call(&["conversations", "render", &id]);
    assert_eq!(called.code, 2, "the last message alone is too long");
    let exported = world.must(&["conversations", "export", &id]).stdout;
    assert_eq!(lines(&exported), lines(&line(1024 * 1024)));
}

#[test]
fn conversations_are_listed_renamed_and_deleted() {
    let world = world_with(TALK);
    let none = world.must(&["conversations", "list"]);
    assert!(none.stderr.starts_with("No conversations."), "{}", none.stderr);
    assert_eq!(
        json_of(&world.must(&["conversations", "list", "--format", "json"])),
        json!([])
    );
    assert_eq!(world.call(&["conversations", "show", "last"]).code, 2);
    let first = import(&world);
    let second = import_stdin(&world, "the second");
    world.must(&["conversations", "rename", &first, "the first \u{202e}one"]);
    let list = world.must(&["conversations", "list"]).stdout;
    let without_ids: String = list.lines().map(|line| format!("{}\n", &line[10..])).collect();
    golden!(
        "conversations_list",
        world.screen(&Called {
            code: 0,
            stdout: without_ids,
            stderr: String::new()
        })
    );
    for bad in ["", " ", "two\nlines", &"x".repeat(201)] {
        let called = world.call(&["conversations", "rename", &first, bad]);
        assert_eq!(called.code, 2, "{}", called.stderr);
    }
    let rows = json_of(&world.must(&["conversations", "list", "--format", "json"]));
    assert_eq!(rows[0]["id"], second.as_str());
    assert_eq!(rows[1]["turns"], 5);
    assert_eq!(rows[1]["name"], "the first \u{202e}one");

    let refused = world.call(&["conversations", "delete", &first]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    world.must(&["conversations", "delete", &first, "-y"]);
    let gone = world.call(&["conversations", "show", &first]);
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.contains("was deleted on"), "{}", gone.stderr);
    assert_eq!(world.call(&["conversations", "rename", &first, "x"]).code, 2);
    let rows = json_of(&world.must(&["conversations", "list", "--format", "json"]));
    assert_eq!(rows.as_array().unwrap().len(), 1);
}

fn import_stdin(world: &World, name: &str) -> String {
    let mut child = world
        .command(&["conversations", "import", "-", "--name", name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(TALK.as_bytes()).unwrap();
    drop(stdin);
    let called = world.finish(child.wait_with_output().unwrap());
    assert_eq!(called.code, 0, "{}", called.stderr);
    called.stdout.trim_end().to_owned()
}

#[test]
fn runs_and_conversations_are_distinguished() {
    let world = world_with(TALK);
    let id = import(&world);
    assert_eq!(world.must(&["runs"]).stdout, "");
    world.ask("How high is the Port Amsel lighthouse?", &[]);
    let run = world.last_run();
    let refused = |arguments: &[&str], words: &str| {
        let called = world.call(arguments);
        assert_eq!(called.code, 2, "{arguments:?}");
        assert!(called.stderr.contains(words), "{arguments:?}: {}", called.stderr);
    };
    let is_conversation = format!("`{id}` is a conversation, not a run");
    let events = world.must(&["events", &id, "--format", "text"]).stdout;
    assert!(events.contains("conversation_started"), "{events}");
    for verb in ["show", "resume", "retry", "cancel"] {
        refused(&[verb, &id], &is_conversation);
    }
    refused(&["prune", "--run", &id, "--yes"], &is_conversation);
    let is_run = format!("`{run}` is a run, not a conversation");
    for verb in ["show", "export", "render", "delete"] {
        refused(&["conversations", verb, &run], &is_run);
    }
    refused(&["conversations", "rename", &run, "x"], &is_run);
    refused(
        &["conversations", "show", "zzzzz"],
        "there is no conversation zzzzz",
    );
    refused(&["conversations", "show", "zz"], "is too short");

    let before = world.must(&["conversations", "export", &id]).stdout;
    world.must(&["prune", "--max-size", "1K", "--older-than", "0s", "--yes"]);
    assert_eq!(world.call(&["show", &run]).code, 2, "the run is gone");
    world.must(&["store", "rebuild"]);
    assert_eq!(world.must(&["conversations", "export", &id]).stdout, before);
    assert_eq!(
        world
            .must(&["conversations", "list", "--format", "jsonl"])
            .stdout
            .lines()
            .count(),
        1
    );
}

#[test]
fn secrets_are_not_stored() {
    let world = World::new();
    let key = format!("AIza{}", "Sy0123456789abcdefghijklmnopqrstuvw");
    let turn = json!({ "turn": 1, "role": "user", "text": format!("my key:\n{key}") });
    fs::write(world.path("talk.jsonl"), turn.to_string()).unwrap();
    let called = world.must(&["conversations", "import", "talk.jsonl"]);
    assert!(
        called.stderr.contains("secrets in 1 turn were replaced"),
        "{}",
        called.stderr
    );
    let exported = world.must(&["conversations", "export", "last"]).stdout;
    assert!(
        !exported.contains(&key) && exported.contains("my key:"),
        "{exported}"
    );
}
