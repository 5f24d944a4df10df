//! Conversations: in, out, and the prompts that would be sent of them.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::golden;
use crate::program::{Called, World};
use crate::simulated::Simulated;

const CORPUS: &str = include_str!("../../../gemicro-core/tests/data/conversation/conversation.jsonl");
const NEEDLES: &str = include_str!("../../../gemicro-core/tests/data/conversation/needles.jsonl");
const DECOYS: &str = include_str!("../../../gemicro-core/tests/data/conversation/decoys.jsonl");

const TALK: &str = concat!(
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

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn json_of(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap()
}

/// A world with a file of turns in it.
fn world_with(text: &str) -> World {
    let world = World::new();
    fs::write(world.path("talk.jsonl"), text).unwrap();
    world
}

/// Stores the file of turns; answers the id.
fn import(world: &World) -> String {
    let called = world.must(&["conversations", "import", "talk.jsonl"]);
    let id = called.stdout.trim_end().to_owned();
    assert_eq!((called.stdout, called.stderr), (format!("{id}\n"), String::new()));
    id
}

#[test]
fn nothing_of_a_long_conversation_is_lost_in_silence() {
    let world = world_with(CORPUS);
    let imported = json_of(&world.must(&["conversations", "import", "talk.jsonl", "--format", "json"]));
    assert_eq!(imported["turns"], 500);
    assert!(imported["tokens"].as_u64().unwrap() > 100_000, "{imported}");
    for limit in ["16000", "6000"] {
        let called = world.must(&[
            "conversations",
            "render",
            imported["id"].as_str().unwrap(),
            "--max-tokens",
            limit,
            "--summariser",
            "none",
            "--report",
            "report.json",
        ]);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(world.path("report.json")).unwrap()).unwrap();
        check_retention(&called.stdout, &report, limit);
    }
}

fn check_retention(prompt: &str, report: &Value, limit: &str) {
    let texts = |field: &str| -> Vec<String> {
        let facts = report[field].as_array().unwrap().iter();
        facts
            .map(|fact| fact["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let lost: HashSet<String> = texts("lost").into_iter().collect();
    let is_asked = |needle: &&Value| needle["class"] != "last-request" || needle["turn"] == 500;
    let needles = lines(NEEDLES);
    let mut n_missing = 0;
    for needle in needles.iter().filter(is_asked) {
        let exact = needle["exact"].as_str().unwrap();
        if prompt.contains(exact) {
            continue;
        }
        n_missing += 1;
        assert!(lost.contains(exact), "lost in silence at {limit}: {needle}");
        let class = needle["class"].as_str().unwrap();
        let may_be_lost = ["identifier", "number", "done"].contains(&class);
        assert!(may_be_lost, "lost at {limit}: {needle}");
    }
    if limit == "16000" {
        assert_eq!(n_missing, 0, "all fit");
    }
    assert!(report["tokens_after"].as_u64() <= limit.parse().ok());
    assert!(prompt.contains("c-open"), "the open call");
    for decoy in lines(DECOYS) {
        let exact = decoy["exact"].as_str().unwrap();
        let pinned = texts("pinned");
        assert!(pinned.iter().all(|text| !text.contains(exact)), "{decoy}");
    }
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
fn a_short_conversation_is_rendered_whole() {
    let world = world_with(TALK);
    import(&world);
    let whole = world.must(&["conversations", "render", "last"]);
    for turn in lines(&TALK.replace("\n\n", "\n")) {
        for line in turn["text"].as_str().unwrap().lines() {
            assert!(whole.stdout.contains(line), "{line}\n{}", whole.stdout);
        }
    }
    assert!(whole.stderr.contains("nothing is left out"), "{}", whole.stderr);
    assert_eq!(
        world.must(&["conversations", "render", "last"]).stdout,
        whole.stdout,
        "the same again"
    );
    for name in [
        "summarise",
        "hierarchical",
        "retrieval",
        "deduplicate",
        "adaptive",
    ] {
        world.must(&[
            "conversations",
            "render",
            "last",
            "--compressor",
            name,
            "--report",
            "report.json",
        ]);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(world.path("report.json")).unwrap()).unwrap();
        assert_eq!(report["compressor"], name);
    }
}

#[test]
fn a_prompt_is_made_for_a_message_that_is_not_sent() {
    let turn = |number: usize, role: &str, text: &str| {
        format!(
            "{}\n",
            serde_json::json!({ "turn": number, "role": role, "text": text })
        )
    };
    let filler = "The build printed nothing of interest today, and the harbour was calm. ".repeat(40);
    let mut talk = turn(
        1,
        "user",
        "Keep your hands off the settlement folder unless I say so.",
    );
    talk += &turn(2, "tool", "the lock of basin seven opens at 311 mm");
    for number in 3..80 {
        talk += &turn(
            number,
            if number % 2 == 0 { "user" } else { "tool" },
            &format!("{number} {filler}"),
        );
    }
    let world = world_with(&talk);
    import(&world);
    let message = "When does the lock of basin seven open?";
    let arguments = [
        "conversations",
        "render",
        "last",
        "--max-tokens",
        "4000",
        "--report",
        "report.json",
    ];
    let called = world.must(&[&arguments[..], &["--message", message]].concat());
    assert!(
        called
            .stdout
            .contains("2 tool: the lock of basin seven opens at 311 mm"),
        "{}",
        called.stdout
    );
    assert!(
        called
            .stdout
            .contains("1: Keep your hands off the settlement folder"),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains(" 80 user\nWhen does the lock"),
        "{}",
        called.stdout
    );
    let report: Value =
        serde_json::from_str(&fs::read_to_string(world.path("report.json")).unwrap()).unwrap();
    let n_recalled = report["statements"]["pasted"]["recalled"].as_u64();
    assert!(n_recalled >= Some(1), "{}", report["statements"]);
    let shown = world.must(&["conversations", "show", "last"]);
    assert!(!shown.stdout.contains(message), "it is not stored");
}

#[test]
fn a_prompt_is_counted_exactly_where_there_is_a_key() {
    let simulated = Simulated::new("  - { name: quick, reply: { text: x } }\n");
    fs::write(simulated.world.path("talk.jsonl"), TALK).unwrap();
    import(&simulated.world);
    let called = simulated.call(&["conversations", "render", "last", "--exact=gemini-3.8-flash"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let tokens = called.stdout.len().div_ceil(4);
    let counted = format!("exactly {tokens} tokens for gemini-3.8-flash");
    assert!(called.stderr.contains(&counted), "{counted}: {}", called.stderr);
    let keyless = simulated
        .world
        .call(&["conversations", "render", "last", "--exact"]);
    assert_eq!(
        (keyless.code, keyless.stdout.as_str()),
        (3, ""),
        "{}",
        keyless.stderr
    );
    assert!(keyless.stderr.contains("GEMINI_API_KEY"), "{}", keyless.stderr);
}

#[test]
fn a_prompt_that_cannot_be_is_refused() {
    let world = world_with(TALK);
    import(&world);
    let render = |more: &[&str]| {
        let called = world.call(&[&["conversations", "render", "last"], more].concat());
        assert_eq!(
            (called.code, called.stdout.as_str()),
            (2, ""),
            "{more:?}: {}",
            called.stderr
        );
        called
    };
    golden!(
        "conversations_render_refused",
        [
            render(&["--max-tokens", "10"]),
            render(&["--max-tokens", "10", "--compressor", "retrieval"]),
            render(&["--summariser", "claude"]),
            render(&["--report", "nowhere/report.json"]),
        ]
        .map(|called| world.screen(&called))
        .join("\n")
    );
    render(&["--report", "-"]);
    render(&["--max-tokens", "many"]);
    render(&["--max-tokens", "-1"]);
    render(&["--compressor", "magic"]);
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
