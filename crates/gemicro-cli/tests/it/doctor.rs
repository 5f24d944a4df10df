//! What the doctor says about agents: programs that only know their version, in a search path of their own.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::golden;
use crate::program::{Called, World};

/// The doctor with a search path that has only what is in `bin`, and these variables besides.
fn doctor(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> Called {
    for folder in ["bin", "user"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    let mut command = world.command(&["doctor", "--offline"]);
    command
        .args(arguments)
        .env("PATH", world.path("bin"))
        .envs(variables.iter().copied());
    world.finish(command.output().unwrap())
}

/// What does not depend on this machine: no disk, no store, no sandbox.
fn portable(world: &World, called: Called) -> String {
    let mut lines = called.stdout.lines().peekable();
    let mut stdout = String::new();
    while let Some(line) = lines.next() {
        let what = line.split_once(' ').map_or("", |(_, rest)| rest);
        if ["disk: ", "store: ", "sandbox: "]
            .iter()
            .any(|it| what.starts_with(it))
        {
            lines.next_if(|line| line.starts_with("  fix: "));
        } else {
            stdout += &format!("{line}\n");
        }
    }
    world.screen(&Called { stdout, ..called })
}

fn agent(world: &World, name: &str, script: &str) {
    let path = world.path("bin").join(name);
    fs::create_dir_all(world.path("bin")).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_agents_the_doctor_says_how_to_get_them_and_is_content() {
    let world = World::new();
    let called = doctor(&world, &["--deep"], &[]);
    golden!("doctor_without_agents", portable(&world, called));
}

#[test]
fn agents_are_good_or_too_old_or_missing() {
    let world = World::new();
    agent(&world, "gemini", "echo 0.61.0");
    agent(&world, "claude", "echo '2.1.196 (Claude Code)'");
    fs::create_dir_all(world.path("user/.gemini")).unwrap();
    fs::write(world.path("user/.gemini/oauth_creds.json"), "{}").unwrap();
    let keys = [("ANTHROPIC_API_KEY", "very-secret-key-0123456789")];
    let called = doctor(&world, &[], &keys);
    golden!("doctor_with_agents", portable(&world, called));
    let called = doctor(&world, &["--format", "json"], &keys);
    assert!(!called.stdout.contains("very-secret"));
    let findings: Vec<Value> = serde_json::from_str(&called.stdout).unwrap();
    let standing = |what: &str| {
        let found = findings.iter().find(|finding| finding["what"] == what);
        found.map(|finding| finding["standing"].as_str().unwrap())
    };
    assert_eq!(standing("agent gemini"), Some("good"));
    assert_eq!(standing("agent claude"), Some("attention"));
    assert_eq!(standing("agent codex"), Some("attention"));
    assert!(standing("sandbox").is_some());
    // Nothing of the doctor stays.
    assert_eq!(fs::read_dir(world.path("home/agents")).unwrap().count(), 0);
}
