//! `gemicro init` and `gemicro workflow`: from an empty folder to a checked workflow, and every way to go wrong.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::golden;
use crate::program::World;

#[test]
fn a_project_gets_a_workflow_that_is_checked_and_shown() {
    let world = World::new();
    golden!("workflow_init", world.screen(&world.must(&["init"])));
    golden!(
        "workflow_check",
        world.screen(&world.must(&["workflow", "check"]))
    );
    let shown = world.must(&["workflow", "show"]).stdout;
    assert!(shown.starts_with("Workflow default\n"), "{shown}");
    let chart = world.must(&["workflow", "show", "--format", "mermaid"]).stdout;
    assert!(chart.starts_with("flowchart TD\n"), "{chart}");
    let json: Value =
        serde_json::from_str(&world.must(&["workflow", "show", "--format", "json"]).stdout).unwrap();
    assert_eq!(json["phases"][3]["name"], "plan");
    assert_eq!(
        json["modes"],
        json!({"bugfix": "investigation", "research": "research", "direct": "plan"})
    );
}

#[test]
fn what_is_there_is_kept_unless_forced() {
    let world = World::new();
    world.must(&["init"]);
    let file = world.path(".gemicro/prompts/developer.md");
    fs::write(&file, "Mine: {{ request }}\n").unwrap();
    fs::remove_file(world.path(".gemicro/prompts/auditor.md")).unwrap();
    let again = world.must(&["init"]);
    assert!(
        again.stderr.contains("Kept .gemicro/prompts/developer.md\n"),
        "{}",
        again.stderr
    );
    assert!(
        again.stderr.contains("Wrote .gemicro/prompts/auditor.md\n"),
        "{}",
        again.stderr
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "Mine: {{ request }}\n");
    let forced = world.must(&["init", "--force"]);
    assert!(
        forced.stderr.contains("Replaced .gemicro/prompts/developer.md\n"),
        "{}",
        forced.stderr
    );
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .starts_with("Carry out the approved plan")
    );
}

#[test]
fn nothing_is_written_through_a_link() {
    let world = World::new();
    fs::create_dir_all(world.path("elsewhere")).unwrap();
    symlink(world.path("elsewhere"), world.path(".gemicro")).unwrap();
    let refused = world.call(&["init", "--force"]);
    assert_eq!(
        (refused.code, refused.stdout.as_str()),
        (2, ""),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read_dir(world.path("elsewhere")).unwrap().count(), 0);
    assert_eq!(world.call(&["init", "--dir", "nowhere"]).code, 2);
}

#[test]
fn without_a_file_the_built_in_workflow_is_meant() {
    let world = World::new();
    golden!(
        "workflow_built_in",
        world.screen(&world.must(&["workflow", "check"]))
    );
    for agent in ["gemini", "claude", "codex"] {
        world.must(&["workflow", "check", "--agent", agent]);
    }
    assert_eq!(world.call(&["workflow", "check", "--agent", "painter"]).code, 2);
}

#[test]
fn a_tool_that_a_role_cannot_do_without_is_missed() {
    let world = World::new();
    world.must(&["init"]);
    let file = world.path(".gemicro/workflow.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("web_search?", "web_search")).unwrap();
    golden!(
        "workflow_other_agent",
        world.screen(&world.call(&["workflow", "check", "--agent", "codex"]))
    );
}

#[test]
fn the_file_is_found_up_to_the_top_of_the_repository() {
    let world = World::new();
    world.must(&["init"]);
    fs::create_dir_all(world.path("app/src/.git")).unwrap();
    fs::create_dir_all(world.path(".git")).unwrap();
    let in_folder = |folder: &str| {
        let mut command = world.command(&["workflow", "check"]);
        world
            .finish(command.current_dir(world.path(folder)).output().unwrap())
            .stdout
    };
    assert!(
        in_folder("app").contains("/.gemicro/workflow.yaml can be run"),
        "{}",
        in_folder("app")
    );
    assert!(in_folder("app/src").starts_with("the built-in workflow can be run"));
}

#[test]
fn checks_are_judged_as_a_run_does() {
    let world = World::new();
    world.must(&["init"]);
    let file = world.path(".gemicro/workflow.yaml");
    let text = fs::read_to_string(&file).unwrap();
    for masked in [
        "make test || true",
        "make test | tee log",
        "make test; echo done",
        "echo passed",
    ] {
        let checks = format!("checks: [{{ name: tests, command: '{masked}', tests: true }}]");
        fs::write(&file, text.replace("checks: []", &checks)).unwrap();
        let called = world.call(&["workflow", "check"]);
        assert_eq!(called.code, 2, "{masked}: {}", called.stdout);
        assert!(
            called.stderr.contains("it proves nothing"),
            "{masked}: {}",
            called.stderr
        );
    }
    // What a run finds by itself is there.
    fs::write(&file, text).unwrap();
    fs::write(world.path("Cargo.toml"), "").unwrap();
    let called = world.must(&["workflow", "check"]);
    assert!(called.stdout.contains("1 check\n"), "{}", called.stdout);
    assert_eq!(called.stderr, "");
    let called = world.must(&["workflow", "show"]);
    assert!(called.stdout.contains("cargo test"), "{}", called.stdout);
    let found = "It has no checks; gemicro found the ones below in this folder.\n";
    assert_eq!(called.stderr, found);
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let world = World::new();
    world.must(&["init"]);
    let file = world.path(".gemicro/workflow.yaml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text
        .replace("REJECT: plan }", "REJECT: plans }")
        .replace("PASS: integration, FAIL: implementation", "PASS: integration")
        .replace("carry: []", "carry: [/etc]");
    fs::write(&file, text).unwrap();
    fs::write(world.path(".gemicro/prompts/architect.md"), "{{ reqest }}\n").unwrap();
    golden!(
        "workflow_wrong",
        world.screen(&world.call(&["workflow", "check"]))
    );
    let called = world.call(&["workflow", "check", "--format", "json"]);
    let json: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!((called.code, json["ok"].as_bool()), (2, Some(false)));
    let keys: Vec<&str> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "roles.architect.prompt",
            "phases.plan_review.on.REJECT",
            "phases.audit.on",
            "carry.0"
        ]
    );
    assert_eq!(world.call(&["workflow", "show"]).code, 2);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let world = World::new();
    world.must(&["init"]);
    let (file, prompt) = (
        world.path(".gemicro/workflow.yaml"),
        world.path(".gemicro/prompts/rules.md"),
    );
    let refused = |expected: &str| {
        let called = world.call(&["workflow", "check"]);
        assert_eq!(
            (called.code, called.stdout.as_str()),
            (2, ""),
            "{}",
            called.stderr
        );
        assert!(called.stderr.contains(expected), "{expected}: {}", called.stderr);
    };
    fs::write(&prompt, "x".repeat(65 * 1024)).unwrap();
    refused("rules.md cannot be read: it has more than 64 KiB");
    fs::remove_file(&prompt).unwrap();
    // A prompt that is left out is the one in the program.
    world.must(&["workflow", "check"]);
    fs::write(world.path("secret.md"), "secret").unwrap();
    symlink(world.path("secret.md"), &prompt).unwrap();
    refused("rules.md cannot be read: a link points outside ");
    fs::write(&file, [0xff, 0xfe]).unwrap();
    refused("workflow.yaml cannot be read: it is not UTF-8 text");
    fs::remove_file(&file).unwrap();
    symlink("/dev/null", &file).unwrap();
    refused("workflow.yaml cannot be read: a link points outside ");
    assert_eq!(world.call(&["workflow", "check", "docs"]).code, 2);
    assert_eq!(world.call(&["workflow", "show", "nothing.yaml"]).code, 2);
}
