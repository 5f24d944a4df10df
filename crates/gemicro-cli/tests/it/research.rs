//! Questions answered from documents, in every format.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::golden;
use crate::program::{Called, World};

const HIGH: &str = "How high is the Port Amsel lighthouse?";
const TWO: &str = "How high is the Port Amsel lighthouse, and how many passengers does MV Alder Sound carry?";

#[test]
fn text_is_plain_markdown_in_a_pipe() {
    let world = World::new();
    golden!("research_text", world.screen(&world.ask(HIGH, &[])));
}

#[test]
fn the_short_form_is_research() {
    let world = World::new();
    let short = world.must(&[HIGH, "--offline", "--source", "docs", "--format", "markdown"]);
    let options_first = world.must(&["--offline", "--source", "docs", "--format", "markdown", HIGH]);
    let long = world.ask(HIGH, &["--format", "markdown"]);
    assert!(long.stdout.contains("31 metres"), "{}", long.stdout);
    assert_eq!(short.stdout, long.stdout);
    assert_eq!(options_first.stdout, long.stdout);
}

#[test]
fn a_question_can_come_from_stdin() {
    let world = World::new();
    fs::write(world.path("question"), HIGH).unwrap();
    let stdin = fs::File::open(world.path("question")).unwrap();
    let mut command = world.command(&[
        "research",
        "--offline",
        "--source",
        "docs",
        "--format",
        "markdown",
        "-",
    ]);
    let called = world.finish(command.stdin(stdin).output().unwrap());
    assert!(
        called.stdout.contains("31 metres"),
        "{}{}",
        called.stdout,
        called.stderr
    );
}

#[test]
fn two_sub_queries_are_answered_side_by_side() {
    let world = World::new();
    let called = world.ask(TWO, &[]);
    let answer = &called.stdout;
    assert!(
        answer.contains("31 metres") && answer.contains("435 passengers"),
        "{answer}"
    );
    assert!(
        called.stderr.contains("Decomposed into 2 sub-queries"),
        "{}",
        called.stderr
    );
    assert!(
        called
            .stderr
            .contains("Stats: 2/2 sub-queries succeeded | 0 total tokens | "),
        "{}",
        called.stderr
    );
}

#[test]
fn json_is_one_object_with_the_run() {
    let world = World::new();
    let called = world.ask(HIGH, &["--format", "json"]);
    let mut object: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(called.stdout.lines().count(), 1);
    assert_eq!(object["run"], world.last_run());
    assert_eq!(object["citations"][0]["doc"], "lighthouse.md");
    assert_eq!(
        object["citations"][0]["span"],
        "The Port Amsel lighthouse is 31 metres high."
    );
    object["metadata"]["duration_ms"] = 0.into();
    let stdout = format!("{object:#}\n");
    golden!("research_json", world.screen(&Called { stdout, ..called }));
}

#[test]
fn jsonl_is_every_event_as_stored() {
    let world = World::new();
    let called = world.ask(HIGH, &["--format", "jsonl"]);
    assert_eq!(called.stdout, world.must(&["events", "last"]).stdout);
    assert_eq!(
        called.stdout,
        world.must(&["show", "last", "--format", "jsonl"]).stdout
    );
    let kinds: Vec<String> = called
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["event_type"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    golden!("research_jsonl_kinds", kinds.join("\n"));
}

#[test]
fn no_evidence_is_said_and_has_its_own_exit_code() {
    let world = World::new();
    let question = "What is the salary of the harbour master of Kittelsund?";
    let called = world.ask(question, &[]);
    assert_eq!(called.code, 6);
    golden!("no_evidence", world.screen(&called));
    let json = world.ask(question, &["--format", "json"]);
    let object: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(object["error_kind"], "no_evidence");
    assert_eq!(json.code, 6);
}

#[test]
fn out_writes_the_whole_file_or_none() {
    let world = World::new();
    let file = world.path("answer.md");
    let called = world.ask(HIGH, &["--format", "markdown", "--out", "answer.md"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, ""));
    assert!(world.read(&file).contains("31 metres"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    // A failed run leaves the file that was there.
    let failed = world.ask(
        "What is the salary of the harbour master of Kittelsund?",
        &["--out", "answer.md"],
    );
    assert_eq!(failed.code, 6);
    assert!(world.read(&file).contains("31 metres"));
    let nowhere = world.ask(HIGH, &["--out", "no/such/folder/answer.md"]);
    assert_eq!(nowhere.code, 2, "{}", nowhere.stderr);
    let names: Vec<_> = fs::read_dir(world.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().starts_with(".gemicro-")),
        "{names:?}"
    );
}

#[test]
fn questions_of_a_file_come_back_in_order() {
    let world = World::new();
    let questions = [
        r#"{"id": "q1", "question": "How high is the Port Amsel lighthouse?", "kind": "single"}"#,
        r#"{"id": "q2", "question": "What is the salary of the harbour master of Kittelsund?"}"#,
        "",
        r#"{"id": "q3", "question": "  "}"#,
        r#"{"id": "q4", "question": "How many passengers does MV Alder Sound carry?"}"#,
    ];
    fs::write(world.path("questions.jsonl"), questions.join("\n")).unwrap();
    let arguments = [
        "research",
        "--offline",
        "--source",
        "docs",
        "--questions",
        "questions.jsonl",
    ];
    let text = world.call(&arguments);
    golden!("questions_text", world.screen(&text));
    let jsonl = world.call(&[&arguments[..], &["--format", "jsonl", "--out", "answers.jsonl"]].concat());
    assert_eq!(jsonl.stdout, "");
    golden!("questions_jsonl", world.read(&world.path("answers.jsonl")));
}

#[test]
fn a_bad_questions_file_is_refused_before_any_run() {
    let world = World::new();
    let refused = |text: &str| {
        fs::write(world.path("questions.jsonl"), text).unwrap();
        let called = world.call(&[
            "research",
            "--offline",
            "--source",
            "docs",
            "--questions",
            "questions.jsonl",
        ]);
        assert_eq!(called.code, 2);
        called.stderr
    };
    assert!(refused("").contains("contains no questions"));
    assert!(refused("{\"id\": \"a\", \"question\": \"b\"}\n{\"id\": 1}").contains("line 2"));
    assert_eq!(world.must(&["runs", "--format", "json"]).stdout, "[]\n");
}

#[test]
fn a_dry_run_shows_the_plan_and_stores_nothing() {
    let world = World::new();
    let called = world.ask(TWO, &["--dry-run", "--budget", "50k", "--budget", "10m"]);
    golden!("dry_run", world.screen(&called));
    let json = world.ask(TWO, &["--dry-run", "--format", "json"]);
    let plan: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(plan["plan"]["question"], TWO);
    assert!(!world.path("home").exists());
}

#[test]
fn verbose_shows_every_event() {
    let world = World::new();
    let called = world.ask(HIGH, &["--verbose"]);
    assert!(called.stderr.contains("step_completed"), "{}", called.stderr);
}

#[test]
fn out_follows_a_link_and_keeps_it() {
    let world = World::new();
    std::fs::write(world.path("target.md"), "old").unwrap();
    std::os::unix::fs::symlink("target.md", world.path("link.md")).unwrap();
    let called = world.ask(HIGH, &["--format", "markdown", "--out", "link.md"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(world.path("link.md").is_symlink());
    assert!(
        std::fs::read_to_string(world.path("target.md"))
            .unwrap()
            .contains("31 metres")
    );
}

#[test]
fn questions_come_from_a_file_of_a_sane_size() {
    let world = World::new();
    let refused = world.call(&["research", "--offline", "--source", "docs", "--questions", "docs"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let huge = std::fs::File::create(world.path("huge.jsonl")).unwrap();
    huge.set_len(65 * 1024 * 1024).unwrap();
    let refused = world.call(&[
        "research",
        "--offline",
        "--source",
        "docs",
        "--questions",
        "huge.jsonl",
    ]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let with_mark = format!("\u{feff}{{\"id\": \"a\", \"question\": \"{HIGH}\"}}\n");
    std::fs::write(world.path("mark.jsonl"), with_mark).unwrap();
    let read = world.call(&[
        "research",
        "--offline",
        "--source",
        "docs",
        "--questions",
        "mark.jsonl",
    ]);
    assert_eq!(read.code, 0, "{}", read.stderr);
}
