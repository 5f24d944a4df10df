//! The agent of `ask`, `run` and `chat` when the user names none.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::program::{Called, World};

/// A world whose search path has only these programs. None of them answers.
fn world(programs: &[&str], settings: &str) -> World {
    let world = World::new();
    for folder in ["bin", "user", "project/.git"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    for name in programs {
        let path = world.path("bin").join(name);
        fs::write(&path, "#!/bin/sh\nexit 3\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    if !settings.is_empty() {
        fs::write(world.path("project/gemicro.toml"), settings).unwrap();
    }
    world
}

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(arguments);
    command
        .env("PATH", world.path("bin"))
        .env("GEMINI_API_KEY", "a-key-that-opens-nothing")
        .env("ANTHROPIC_API_KEY", "a-key-that-opens-nothing")
        .current_dir(world.path("project"));
    command
}

fn call(world: &World, arguments: &[&str]) -> Called {
    world.finish(command(world, arguments).output().unwrap())
}

/// The agent of the newest run.
fn last_agent(world: &World) -> String {
    let lines = world.must(&["events", "last"]).stdout;
    let plan = lines.lines().next().unwrap();
    let agents = ["gemini", "claude", "codex"];
    let named = agents
        .iter()
        .filter(|name| plan.contains(&format!("\"agent\":\"{name}\"")));
    named.copied().collect()
}

fn default_line(world: &World) -> String {
    let lines = call(world, &["doctor", "--offline"]).stdout;
    let mut lines = lines.lines().skip_while(|line| !line.contains("default agent: "));
    let line = lines.next().unwrap_or_default();
    line.replace(world.path("").to_str().unwrap(), "WORLD/")
}

#[test]
fn it_is_that_of_the_settings_or_the_only_one_that_is_ready() {
    for (programs, settings, agent, line) in [
        (
            &["claude"][..],
            "",
            "claude",
            "✓ default agent: claude, the only agent that is ready",
        ),
        (
            &["gemini"],
            "",
            "gemini",
            "✓ default agent: gemini, the only agent that is ready",
        ),
        // Codex has no key.
        (
            &["claude", "codex"],
            "",
            "claude",
            "✓ default agent: claude, the only agent that is ready",
        ),
        (
            &["claude", "gemini"],
            "",
            "gemini",
            "✓ default agent: gemini, because several agents are ready (gemini, claude)",
        ),
        (
            &[],
            "",
            "gemini",
            "! default agent: gemini, but no agent is ready",
        ),
        (
            &["claude", "gemini"],
            "agent = \"claude\"\n",
            "claude",
            "✓ default agent: claude, set by project file WORLD/project/gemicro.toml",
        ),
        (
            &["claude"],
            "agent = \"codex\"\n",
            "codex",
            "! default agent: codex, set by project file WORLD/project/gemicro.toml, but it is not ready",
        ),
    ] {
        let world = world(programs, settings);
        assert_eq!(default_line(&world), line);
        let asked = call(&world, &["ask", "hello"]);
        assert_ne!(asked.code, 0);
        assert_eq!(last_agent(&world), agent, "ask: {}", asked.stderr);
        let ran = call(&world, &["run", "--task", "Do it."]);
        assert_ne!(ran.code, 0);
    }
}

#[test]
fn a_chat_and_a_run_use_it_and_a_flag_wins() {
    let world = world(&["claude"], "");
    let mut chat = command(&world, &["chat"]);
    let mut chat = chat.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    chat.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    chat.wait().unwrap();
    assert_eq!(last_agent(&world), "claude");
    call(&world, &["ask", "--agent", "gemini", "hello"]);
    assert_eq!(last_agent(&world), "gemini");
    call(&world, &["ask", "--model", "gpt-5.5", "hello"]);
    assert_eq!(last_agent(&world), "codex");
    // What stops a run is about the default agent.
    let ran = call(&world, &["run", "--task", "Do it.", "--no-push"]);
    assert!(
        ran.stderr.contains("claude") && !ran.stderr.contains("gemini"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_wrong_name_is_an_error() {
    let world = world(&["claude"], "agent = \"claud\"\n");
    let asked = call(&world, &["ask", "hello"]);
    assert_eq!(asked.code, 2, "{}", asked.stderr);
    assert!(
        asked
            .stderr
            .contains("agent: `claud` is not an agent; use one of gemini, claude, codex"),
        "{}",
        asked.stderr
    );
}

#[test]
fn init_writes_the_only_agent_that_is_ready() {
    let file = |world: &World| fs::read_to_string(world.path("project/gemicro.toml")).ok();
    let one = world(&["claude"], "");
    let called = call(&one, &["init"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("Wrote gemicro.toml: claude is the only agent that is ready"),
        "{}",
        called.stderr
    );
    assert!(file(&one).unwrap().ends_with("agent = \"claude\"\n"));
    let several = world(&["claude", "gemini"], "");
    call(&several, &["init"]);
    assert_eq!(file(&several), None);
    let kept = world(&["claude"], "# mine\n");
    call(&kept, &["init", "--force"]);
    assert_eq!(file(&kept).unwrap(), "# mine\n");
}
