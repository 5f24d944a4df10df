//! `gemicro conversations render`: the prompt that would be sent.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::conversations::{CORPUS, TALK, import, json_of, lines, world_with};
use crate::golden;
use crate::simulated::Simulated;

const NEEDLES: &str = include_str!("../../../gemicro-core/tests/data/conversation/needles.jsonl");
const DECOYS: &str = include_str!("../../../gemicro-core/tests/data/conversation/decoys.jsonl");

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
