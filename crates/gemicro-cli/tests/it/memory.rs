//! `gemicro memory`: every command, the file beside it, and what is refused.

use std::fs;

use serde_json::Value;

use crate::golden;
use crate::program::{Called, World};

const FILE: &str = "AGENT_MEMORY.md";

fn add(world: &World, arguments: &[&str]) -> String {
    let called = world.must(&[&["memory", "add"], arguments].concat());
    assert_eq!(called.stderr, "");
    called.stdout.trim_end().to_owned()
}

/// States and texts of all entries, newest first.
fn entries(world: &World) -> Vec<(String, String)> {
    let called = world.must(&["memory", "list", "--all", "--format", "json"]);
    let rows: Vec<Value> = serde_json::from_str(&called.stdout).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| (text(row, "state"), text(row, "text")))
        .collect()
}

fn of(entries: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(state, text): &(&str, &str)| ((*state).to_owned(), (*text).to_owned());
    entries.iter().map(owned).collect()
}

/// The screens of several calls, one below the other.
fn screens(world: &World, calls: &[Called]) -> String {
    calls.iter().map(|called| world.screen(called)).collect()
}

#[test]
fn entries_are_added_listed_shown_found_edited_and_expired() {
    let world = World::new();
    let empty = world.must(&["memory", "list"]);
    let rule = add(
        &world,
        &["--kind", "rule", "--pin", "Run the tests with make check."],
    );
    let fact = add(
        &world,
        &["The parser is in src/parse.", "--expires", "2999-01-31"],
    );
    let replaced = add(&world, &["--supersedes", &fact, "The parser is in src/parser."]);
    let calls = [
        empty,
        world.must(&["memory", "list"]),
        world.must(&["memory", "list", "--all"]),
        world.must(&["memory", "show", &fact[..5]]),
        world.must(&["memory", "search", "parsers"]),
        world.must(&["memory", "search", "nothing"]),
        world.must(&[
            "memory",
            "edit",
            &rule,
            "Run the tests with just check.",
            "--unpin",
        ]),
        world.must(&["memory", "expire", &replaced]),
        world.must(&["memory", "list"]),
        world.call(&["memory", "show", "mffffff"]),
        world.call(&["memory", "approve", &rule]),
        world.call(&["memory", "add", "two\nlines"]),
        world.call(&["memory", "list", "--dir", "missing"]),
    ];
    golden!("memory_commands", screens(&world, &calls));
    let file = fs::read_to_string(world.path(FILE)).unwrap();
    assert!(
        file.contains("- Run the tests with just check. <!-- gemicro:"),
        "{file}"
    );
    assert!(!file.contains("src/parser."), "{file}");
    // The stream is part of no list of runs or conversations.
    assert_eq!(world.must(&["runs", "--format", "json"]).stdout, "[]\n");
    assert_eq!(
        world.must(&["conversations", "list", "--format", "json"]).stdout,
        "[]\n"
    );
    world.must(&["doctor", "--deep", "--format", "json"]);
}

#[test]
fn the_file_can_be_edited_by_hand() {
    let world = World::new();
    add(&world, &["Use make."]);
    let text = fs::read_to_string(world.path(FILE)).unwrap();
    fs::write(
        world.path(FILE),
        text.replace("Use make.", "Use just.") + "- Never push.\n",
    )
    .unwrap();
    let listed = world.must(&["memory", "list"]);
    golden!("memory_by_hand", world.screen(&listed));
    assert_eq!(world.must(&["memory", "list"]).stderr, "");
    // What cannot be read is refused, and stays.
    let text = fs::read_to_string(world.path(FILE)).unwrap() + "\nA paragraph.\n";
    fs::write(world.path(FILE), &text).unwrap();
    let refused = world.call(&["memory", "add", "More."]);
    golden!("memory_unreadable", world.screen(&refused));
    assert_eq!(fs::read_to_string(world.path(FILE)).unwrap(), text);
}

#[test]
fn processes_add_at_once() {
    let world = World::new();
    let texts: Vec<String> = (0..8).map(|n| format!("Note {n}.")).collect();
    let adding = texts
        .iter()
        .map(|text| world.command(&["memory", "add", text]).spawn().unwrap());
    for mut child in adding.collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    let mut found = entries(&world);
    found.sort();
    let expected: Vec<(&str, &str)> = texts.iter().map(|text| ("live", text.as_str())).collect();
    assert_eq!(found, of(&expected));
    let file = fs::read_to_string(world.path(FILE)).unwrap();
    assert_eq!(file.matches("- Note").count(), 8, "{file}");
}
