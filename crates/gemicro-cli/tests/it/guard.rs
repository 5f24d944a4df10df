//! `gemicro guard`: the answers to hooks, what every fault becomes, who may loosen the rules, and the screens.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use gemicro_guard::policy::PolicyRule;
use serde_json::{Value, json};

use crate::golden;
use crate::program::{Called, World};

const CASES: &str = include_str!("../../../gemicro-guard/tests/policy/firewall-cases.jsonl");

/// A world with the folders of a task.
pub(crate) fn world() -> World {
    let world = World::new();
    for folder in ["task/wt/src", "repo/.git", "user"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    world
}

/// The guard with this input, started in the task's worktree.
pub(crate) fn ask(world: &World, arguments: &[&str], input: &[u8]) -> Called {
    ask_as(world, arguments, input, |command| command)
}

pub(crate) fn ask_as(
    world: &World,
    arguments: &[&str],
    input: &[u8],
    change: impl FnOnce(&mut Command) -> &mut Command,
) -> Called {
    let mut command = world.command(&["guard", "check"]);
    command
        .args(arguments)
        .current_dir(world.path("task/wt"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = change(&mut command).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A guard that has heard enough does not read on.
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let called = world.finish(child.wait_with_output().unwrap());
    writer.join().unwrap();
    called
}

pub(crate) fn neutral(world: &World, command: &str) -> Value {
    let worktree = world.path("task/wt");
    json!({"tool": "shell", "command": command, "cwd": worktree, "worktree": worktree})
}

pub(crate) fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

pub(crate) fn decision(world: &World, arguments: &[&str], command: &str) -> Value {
    let called = ask(world, arguments, neutral(world, command).to_string().as_bytes());
    parsed(&called.stdout)["decision"].clone()
}

#[test]
fn the_reference_gets_its_answers_from_the_program() {
    let world = world();
    let filled = |line: &str| {
        let path = |name: &str| world.path(name).display().to_string();
        line.replace("{{WT}}", &path("task/wt"))
            .replace("{{REPO}}", &path("repo"))
            .replace("{{HOME}}", &path("user"))
    };
    let cases: Vec<Value> = CASES.lines().map(|line| parsed(&filled(line))).collect();
    let worktree = world.path("task/wt");
    let requests: String = cases
        .iter()
        .map(|case| {
            let request = json!({"tool": case["tool"], "command": case["command"], "args": case["args"],
                "cwd": worktree, "worktree": worktree});
            format!("{request}\n")
        })
        .collect();
    let called = ask(&world, &["--jsonl"], requests.as_bytes());
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    let answers: Vec<Value> = called.stdout.lines().map(parsed).collect();
    assert_eq!(answers.len(), cases.len());
    let mut n_judged = 0;
    for (case, answer) in cases.iter().zip(&answers) {
        // What a program does once it runs is for the sandbox.
        if case["layer"] == "command" || case.get("args").is_some() {
            assert_eq!(answer["decision"], case["expect"], "{case}\n{answer}");
            n_judged += 1;
        }
    }
    assert_eq!(n_judged, 143);
    assert!(!world.path("home").exists(), "the guard opened the store");
}

#[test]
fn every_format_is_answered_in_its_own_words() {
    let world = world();
    let worktree = world.path("task/wt");
    let gemini = json!({"session_id": "s", "cwd": worktree, "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": {"command": "git push"}});
    let claude = json!({"session_id": "s", "cwd": worktree, "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "git push"}});
    let reason =
        "Permission Denied: git_subcommand (git push): the orchestrator pushes and fetches; just commit";
    let of_claude = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": reason}});
    let of_gemini = json!({"decision": "deny", "reason": reason});
    let of_neutral = json!({"decision": "deny", "rule": "git_subcommand", "segment": "git push",
        "hint": "the orchestrator pushes and fetches; just commit"});
    let allowed = json!({"decision": "allow", "rule": null, "segment": null, "hint": null});
    for (name, request, denied, allowed) in [
        ("gemini", gemini, of_gemini, json!({})),
        ("claude", claude.clone(), of_claude.clone(), json!({})),
        ("codex", claude, of_claude, json!({})),
        ("neutral", neutral(&world, "git push"), of_neutral, allowed),
    ] {
        let fine = request.to_string().replace("git push", "git status");
        for arguments in [&["--cli", name][..], &[]] {
            let called = ask(&world, arguments, request.to_string().as_bytes());
            assert_eq!((called.code, called.stderr.as_str()), (0, ""), "{name}");
            assert_eq!(parsed(&called.stdout), denied, "{name}");
            let called = ask(&world, arguments, fine.as_bytes());
            assert_eq!(
                (called.code, parsed(&called.stdout)),
                (0, allowed.clone()),
                "{name}"
            );
        }
    }
}

#[test]
fn lines_are_answered_one_by_one_and_bad_ones_are_denials() {
    let world = world();
    let (fine, denied) = (neutral(&world, "ls"), neutral(&world, "git push"));
    let input = format!("{fine}\n{{\n\n{denied}\n\u{0}\n{fine}");
    let called = ask(&world, &["--jsonl"], input.as_bytes());
    let rules: Vec<String> = called
        .stdout
        .lines()
        .map(|line| parsed(line)["rule"].to_string())
        .collect();
    let internal = "\"internal\"";
    assert_eq!(
        rules,
        ["null", internal, internal, "\"git_subcommand\"", internal, "null"]
    );
    assert_eq!(called.code, 2);
    assert_eq!(called.stderr.lines().count(), 3);
    assert!(
        called
            .stderr
            .lines()
            .all(|line| line.starts_with("Permission Denied: ")),
        "{}",
        called.stderr
    );
    let all_read = ask(&world, &["--jsonl"], format!("{fine}\n{denied}\n").as_bytes());
    assert_eq!((all_read.code, all_read.stderr.as_str()), (0, ""));
    assert_eq!(ask(&world, &["--jsonl"], b"").code, 0);
}

#[test]
fn links_are_followed_before_a_path_is_judged() {
    let world = world();
    symlink(world.path("repo"), world.path("task/wt/out")).unwrap();
    symlink("src", world.path("task/wt/in")).unwrap();
    symlink(world.path("repo/.git"), world.path("task/wt/src/meta")).unwrap();
    for line in [
        "echo x > out/a.txt",
        "git -C out status",
        "cd out && git add -A",
        "cp a.txt out/",
        "rm -rf out/src",
        "echo x > src/meta/config",
        "echo x > in/../out/a.txt",
    ] {
        assert_eq!(decision(&world, &[], line), "deny", "{line}");
    }
    for line in [
        "echo x > in/a.txt",
        "git -C in status",
        "cd in && git add -A",
        "cat out/a.txt",
    ] {
        assert_eq!(decision(&world, &[], line), "allow", "{line}");
    }
    // The worktree itself may be reached through a link.
    symlink(world.path("task/wt"), world.path("linked")).unwrap();
    let worktree = world.path("linked");
    let request = json!({"tool": "shell", "command": "echo x > a.txt && git status", "worktree": worktree});
    let called = ask(&world, &[], request.to_string().as_bytes());
    assert_eq!(parsed(&called.stdout)["decision"], "allow");
}

/// The answer is a denial, the reason is on stderr, and the exit code is the one that CLIs obey.
pub(crate) fn assert_fault(called: &Called, what: &str) {
    assert_eq!(called.code, 2, "{what}: {}{}", called.stdout, called.stderr);
    assert!(
        called.stderr.starts_with("Permission Denied: "),
        "{what}: {}",
        called.stderr
    );
    assert!(called.stdout.contains("deny"), "{what}: {}", called.stdout);
    assert_eq!(called.stdout.lines().count(), 1, "{what}");
}

#[test]
fn every_fault_is_a_denial_with_exit_code_2() {
    let world = world();
    let fine = neutral(&world, "ls").to_string();
    for (input, what) in [
        (&b""[..], "no input"),
        (b"{", "no JSON"),
        (b"[]", "no object"),
        (b"{}", "no fields"),
        (b"\xff\xfe", "no text"),
        (br#"{"tool":"shell","command":"ls"}"#, "no worktree"),
        (
            br#"{"hook_event_name":"AfterTool","cwd":"/x","tool_name":"Bash"}"#,
            "another event",
        ),
        (
            br#"{"tool":"shell","command":7,"args":3,"worktree":"/x"}"#,
            "wrong types",
        ),
    ] {
        assert_fault(&ask(&world, &[], input), what);
    }
    for (arguments, what) in [
        (&["--cli", "gemini"][..], "another format"),
        (&["--cli", "claude"], "another format"),
        (&["--cli", "vim"], "no such CLI"),
        (&["--no-such"], "no such flag"),
        (&["more"], "an operand"),
        (&["--worktree", "/other"], "another worktree"),
        (&["--worktree", ""], "an empty worktree"),
        (&["--settings", "/no/such/file"], "no such settings"),
    ] {
        assert_fault(&ask(&world, arguments, fine.as_bytes()), what);
    }
    let closed = ask_as(&world, &[], b"", |command| {
        command.stdin(Stdio::piped()).current_dir("/")
    });
    assert_fault(&closed, "an empty pipe");
}

#[test]
fn an_input_that_is_no_file_and_one_without_end_are_denied() {
    let world = world();
    let run = |input: File| {
        let mut command = world.command(&["guard", "check"]);
        world.finish(command.stdin(input).output().unwrap())
    };
    assert_fault(&run(File::open("/").unwrap()), "a folder");
    let endless = run(File::open("/dev/zero").unwrap());
    assert_fault(&endless, "zeros");
    assert_eq!(parsed(&endless.stdout)["rule"], "too_large");
}

#[test]
fn an_answer_that_no_one_reads_is_a_denial() {
    let world = world();
    let fine = neutral(&world, "ls").to_string();
    let full = ask_as(&world, &[], fine.as_bytes(), |command| {
        command.stdout(File::options().write(true).open("/dev/full").unwrap())
    });
    assert_eq!(full.code, 2);
    assert!(full.stderr.starts_with("Permission Denied: "), "{}", full.stderr);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let closed = ask_as(&world, &[], fine.as_bytes(), |command| command.stdout(writer));
    assert_eq!(closed.code, 2);
    assert!(
        closed.stderr.starts_with("Permission Denied: "),
        "{}",
        closed.stderr
    );
}

#[test]
fn explanations_are_for_people() {
    let world = world();
    let explain = |arguments: &[&str]| {
        let mut command = world.command(&["guard", "explain"]);
        let output = command
            .args(arguments)
            .current_dir(world.path("task/wt"))
            .output();
        world.screen(&world.finish(output.unwrap()))
    };
    let screens = [
        explain(&["git -C .. checkout main"]),
        explain(&["cargo test 2>&1 | tail -20"]),
        explain(&["ls &&\n git\u{200b} push \u{1b}[2J"]),
        explain(&["--worktree", "src", "echo x > ../a.txt"]),
        explain(&["--tool", "write_file", r#"{"file_path":".git/hooks/pre-commit"}"#]),
        explain(&["--tool", "teleport", "x"]),
        explain(&["--worktree", "none", "ls"]),
    ];
    golden!("guard_explain", screens.join("\n=====\n"));
    golden!(
        "guard_explain_json",
        [
            explain(&["--format", "json", "git push"]),
            explain(&["--format", "jsonl", "ls"]),
            explain(&["--format", "json", "--worktree", "none", "ls"]),
        ]
        .join("\n=====\n")
    );
    // It is parsed apart from the tree of commands, for speed.
    golden!(
        "help_guard",
        world.screen(&world.must(&["guard", "check", "--help"]))
    );
}

#[test]
fn the_guide_lists_every_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guard.md");
    let text = fs::read_to_string(path).unwrap();
    for rule in PolicyRule::ALL {
        assert!(
            text.contains(&format!("`{rule}`")),
            "docs/guard.md does not name {rule}"
        );
    }
}

/// Whoever closed the stream cannot read the denial; the exit code says it.
#[test]
fn a_denial_that_no_one_can_read_is_an_exit_code() {
    let program = env!("CARGO_BIN_EXE_gemicro");
    for (command, expected) in [("git push", 2), ("git status", 0)] {
        let request = format!(r#"{{"tool":"shell","command":"{command}","worktree":"/tmp"}}"#);
        let script = format!("printf '%s' '{request}' | '{program}' guard check >&-");
        let status = std::process::Command::new("sh")
            .args(["-c", &script])
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(expected), "{command}");
    }
}
