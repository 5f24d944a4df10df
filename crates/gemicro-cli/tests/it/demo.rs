//! The demo: the whole bugfix pipeline on a throwaway repository, without key and network.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::program::World;

#[test]
fn the_demo_reports_its_story_and_can_be_looked_at() {
    let world = World::new();
    let folder = world.path("demo");
    std::fs::create_dir(world.path("user")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut demo = world.command(&["demo", "--dir"]);
    let output = demo.arg(&folder).env("PATH", &path).output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{printed}");
    let mut rest = printed.as_str();
    for part in [
        "as a colleague would, at a place that they change, too: so there is a conflict to resolve.",
        "INVESTIGATOR: ",
        "LEAD ANALYST: APPROVE.",
        "ARCHITECT: ",
        "PLAN REVIEWER: APPROVE.",
        "DEVELOPER: Implementation complete.",
        "AUDITOR: FAIL.",
        "refunds are rounded towards zero",
        "Back to implementation (B).",
        "AUDITOR: PASS.",
        "CONFLICT in",
        "INTEGRATION SPECIALIST: Conflicts resolved.",
        "AUDITOR: PASS.",
        "Pushed 'task/rounding-prices' to origin.",
        "Pipeline Success!",
        "keep your own shell as it is:",
    ] {
        rest = match rest.split_once(part) {
            Some((_, rest)) => rest,
            None => panic!("`{part}` is missing:\n{printed}"),
        };
    }
    assert!(!printed.contains("ALARM"), "{printed}");

    // Nothing that it names works without its state: that is named first.
    let summary = String::from_utf8(output.stdout).unwrap();
    let state = summary.find(". ").filter(|_| summary.contains("env.sh")).unwrap();
    assert!(
        summary.find("gemicro show").is_some_and(|at| at > state),
        "{summary}"
    );
    let shown = world
        .command(&["show", "last"])
        .env("GEMICRO_HOME", folder.join("state"))
        .output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
    let conflict = shown
        .lines()
        .find(|line| line.contains("integration") && line.contains("conflict"))
        .unwrap();
    assert!(
        conflict.trim_start().starts_with('→'),
        "a conflict that was resolved is no failure: {conflict}"
    );

    // Its advice works when it is pasted, and the test that failed passes on the branch.
    let proof = format!(
        "\ncd {}/.worktrees/task-rounding-prices\nsh tests/run.sh\ntest $(sh price.sh 199 7) = 213",
        folder.display()
    );
    let (advice, _) = rest.split_once("When you are done").unwrap();
    let seen = pasted(&world, &format!("{advice}{proof}"));
    assert!(seen.contains("AUDITOR") || seen.contains("Auditor"), "{seen}");
    assert!(seen.contains("diff --git a/price.sh b/price.sh"), "{seen}");
}

#[test]
fn a_demo_that_is_stopped_names_a_command_that_resumes_it() {
    let world = World::new();
    let folder = world.path("the demo");
    std::fs::create_dir(world.path("user")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let demo = world
        .command(&["demo", "--format", "jsonl", "--dir"])
        .arg(&folder)
        .env("PATH", &path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut demo = demo.unwrap();
    let mut events = BufReader::new(demo.stdout.take().unwrap()).lines();
    let is_working = |line: &String| line.contains("\"phase_started\"");
    assert!(
        events
            .by_ref()
            .map_while(Result::ok)
            .any(|line| is_working(&line))
    );
    kill_process(Pid::from_child(&demo), Signal::INT).unwrap();
    let rest: Vec<String> = events.map_while(Result::ok).collect();
    let output = demo.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{printed}");
    assert!(
        rest.iter().any(|line| line.contains("\"run_suspended\"")),
        "{printed}"
    );
    let resume = printed
        .lines()
        .find_map(|line| line.split_once(" is suspended. Continue with: "));
    let (_, resume) = resume.unwrap_or_else(|| panic!("{printed}"));
    let (_, block) = printed.split_once("keep your own shell as it is:").unwrap();
    let (block, _) = block.split_once("When you are done").unwrap();
    let seen = pasted(
        &world,
        &format!("before=$(pwd; export -p)\n{block}\ntest \"$before\" = \"$(pwd; export -p)\""),
    );
    assert!(seen.contains("suspended"), "{seen}");
    let done = pasted(&world, resume);
    assert!(done.contains("Pipeline Success!"), "{done}");
}

/// What lines print that are typed into a new shell, which knows nothing of the demo.
fn pasted(world: &World, lines: &str) -> String {
    let typed: Vec<&str> = lines.lines().map(str::trim).collect();
    let output = Command::new("sh")
        .args(["-c", &format!("set -e\n{}", typed.join("\n"))])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", world.path("user"))
        .current_dir("/")
        .output()
        .unwrap();
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{lines}\n{seen}\n{said}");
    seen + &said
}
