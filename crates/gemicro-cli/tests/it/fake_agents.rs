//! Agents that misbehave on purpose, played by `gemicro sim agent` in the place of Gemini CLI.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::agent_world::{AgentWorld, INIT, PACKAGE, RESULT, running_in};
use crate::simulated::{KEY, until};

#[test]
fn a_silent_agent_is_ended_and_what_it_said_is_kept() {
    let stage = AgentWorld::scripted(&format!("{INIT}  - ignore: [TERM, INT, HUP]\n  - hang: true\n"));
    let answer = stage.ask_scripted(&["--timeout", "1"]);
    assert_eq!(answer["error_kind"], "idle_timeout", "{answer}");
    assert_eq!(answer["error_detail"]["idle_timeout_s"], 1);
    let last = answer["error_detail"]["last_lines"].as_array().unwrap();
    assert!(
        last.iter()
            .any(|line| line.as_str().unwrap().contains("So far so good")),
        "{last:?}"
    );
    let failed = stage.simulated.event("run_failed");
    assert_eq!(failed["data"]["error"]["detail"]["partial"], "So far so good. ");
    stage.assert_nothing_runs();
}

#[test]
fn nothing_but_an_exit_code_is_no_success() {
    for (steps, kind) in [
        ("  - exit: 0\n".to_owned(), "empty_result"),
        (format!("{INIT}  - exit: 0\n"), "truncated_output"),
    ] {
        let answer = AgentWorld::scripted(&steps).ask_scripted(&[]);
        assert_eq!(
            (&answer["success"], &answer["error_kind"]),
            (&false.into(), &kind.into()),
            "{answer}"
        );
    }
}

#[test]
fn what_an_agent_leaves_behind_is_gone_when_it_is() {
    let stage = AgentWorld::scripted(&format!(
        "  - daemon: {{ pid_file: daemon.pid, steps: [{{ ignore: [TERM] }}, {{ hang: true }}] }}\n  - background: sleep 300\n{INIT}{RESULT}"
    ));
    let answer = stage.ask_scripted(&[]);
    assert_eq!(
        answer["result"].as_str().map(str::trim),
        Some("So far so good."),
        "{answer}"
    );
    assert!(stage.path("project/daemon.pid").exists(), "the daemon never was");
    stage.assert_nothing_runs();
}

#[test]
fn nothing_is_left_when_gemicro_itself_is_killed() {
    let stage = AgentWorld::scripted(&format!(
        "{INIT}  - daemon: {{ pid_file: daemon.pid, steps: [{{ hang: true }}] }}\n  - ignore: [TERM]\n  - hang: true\n"
    ));
    let mut child = stage
        .scripted_command(&[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the daemon", || {
        stage.path("project/daemon.pid").exists().then_some(())
    });
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let place = stage.path("project");
    let place = place.to_str().unwrap();
    until("the end of all", || running_in(place).is_empty().then_some(()));
    // What it may have done to the folder is not done a second time.
    let resumed = stage.simulated.call(&["resume", "last"]);
    assert_ne!(resumed.code, 0);
    let failed = stage.simulated.event("run_failed");
    assert_eq!(failed["data"]["error"]["kind"], "interrupted", "{failed}");
}

#[test]
fn a_flood_costs_neither_memory_nor_disk() {
    let stage = AgentWorld::scripted(&format!(
        "{INIT}  - flood: {{ bytes: 200000000, line: 500 }}\n{RESULT}"
    ));
    let mut child = stage
        .scripted_command(&[])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(private_kib(child.id()));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(most > 0 && most < 100_000, "{most} KiB");
    let spooled = folder_bytes(&stage.path("home/agents"));
    assert!(spooled < 40_000_000, "{spooled} bytes are kept");
}

#[test]
fn the_gateway_stops_what_costs_too_much() {
    let call = r#"  - http:
      url: "{{env:GOOGLE_GEMINI_BASE_URL}}/v1beta/models/gemini-3.5-flash:generateContent"
      method: POST
      headers: { x-goog-api-key: "{{env:GEMINI_API_KEY}}", content-type: application/json }
      body: '{"contents":[{"role":"user","parts":[{"text":"an expensive question"}]}],"generationConfig":{"maxOutputTokens":2000}}'
      times: 100
      save: calls.jsonl
"#;
    let stage = AgentWorld::scripted(&format!("{INIT}{call}{RESULT}"));
    let answer = stage.ask_scripted(&["--budget", "20k"]);
    assert_eq!(answer["error_kind"], "budget_exceeded", "{answer}");
    let failed = stage.simulated.event("run_failed");
    let spent = failed["data"]["spent"]["tokens"].as_u64().unwrap();
    assert!(spent > 0 && spent <= 20_000, "{failed}");
    assert_eq!(failed["data"]["error"]["detail"]["partial"], "So far so good. ");
    let n_calls = stage.simulated.running.log().entries().len();
    assert!((1..=4).contains(&n_calls), "{n_calls} calls went out");
    // 5,000 tokens a call: the fourth is the last that fits.
    assert_eq!(spent, 5_000 * n_calls as u64);
}

#[test]
fn a_hostile_script_finds_no_key_and_no_way_out() {
    let script = [
        "env > env.txt",
        "cat /proc/*/environ > environs.txt 2>/dev/null",
        "ps axww > ps.txt 2>&1",
        "cat $OUTSIDE/user/.ssh/id > ssh.txt 2>&1",
        "ls -R $OUTSIDE > state.txt 2>&1",
        "touch $OUTSIDE/evil $OUTSIDE/user/evil $OUTSIDE/home/evil",
        "touch /usr/evil /etc/evil",
        "(exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null && touch reached",
        "(exec 3<>/dev/tcp/127.0.0.1/4180) 2>/dev/null && touch gateway",
        "touch .git/evil",
        "sleep 300 &",
    ];
    let stage = AgentWorld::scripted("  - shell: bash hostile.sh\n");
    let port = stage
        .simulated
        .running
        .url()
        .rsplit(':')
        .next()
        .unwrap()
        .to_owned();
    let outside = stage.path("");
    let lines = format!(
        "OUTSIDE={}\nPORT={port}\n{}\n",
        outside.to_str().unwrap(),
        script.join("\n")
    );
    std::fs::write(stage.path("project/hostile.sh"), lines).unwrap();
    std::fs::create_dir_all(stage.path("project/.git")).unwrap();
    stage.ask_scripted(&[]);
    let read = |name: &str| std::fs::read(stage.path("project").join(name)).unwrap();
    for name in ["env.txt", "environs.txt", "ps.txt", "ssh.txt", "state.txt"] {
        let bytes = read(name);
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains(KEY) && !text.contains("TOP SECRET"),
            "{name}: {text}"
        );
    }
    assert!(String::from_utf8_lossy(&read("env.txt")).contains("GEMINI_API_KEY=gw-"));
    assert!(!String::from_utf8_lossy(&read("state.txt")).contains("gemicro.db"));
    for evil in [
        "evil",
        "user/evil",
        "home/evil",
        "project/.git/evil",
        "project/reached",
    ] {
        assert!(!stage.path(evil).exists(), "{evil}");
    }
    assert!(!Path::new("/usr/evil").exists() && !Path::new("/etc/evil").exists());
    assert!(
        stage.path("project/gateway").exists(),
        "the gateway must be reached"
    );
    stage.simulated.assert_no_key();
    stage.assert_nothing_runs();
}

#[test]
fn what_cannot_start_says_so_before_anything_starts() {
    let stage = AgentWorld::scripted("  - exit: 0\n");
    let missing = stage.simulated.world.finish(
        stage
            .scripted_command(&[])
            .env("PATH", "/nowhere")
            .output()
            .unwrap(),
    );
    let answer: Value = serde_json::from_str(&missing.stdout).unwrap();
    assert_eq!(answer["error_kind"], "command_not_found", "{answer}");
    assert!(
        answer["error"].as_str().unwrap().contains("npm install"),
        "{answer}"
    );
    assert_eq!(missing.code, 3);
    std::fs::write(stage.path(PACKAGE).join("gemini"), [0_u8; 64]).unwrap();
    let answer = stage.ask_scripted(&[]);
    assert_eq!(answer["success"], false);
    std::fs::write(stage.path(PACKAGE).join("gemini"), "#!/bin/sh\necho 0.1.0\n").unwrap();
    let answer = stage.ask_scripted(&[]);
    assert_eq!(answer["error_kind"], "command_not_found", "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("too old"), "{answer}");
    for (arguments, code) in [
        (&["ask", "--cd", "nowhere", "hi"][..], 2),
        (&["ask", "--model", "llama3.2", "hi"], 2),
        (
            &["ask", "--agent", "codex", "--model", "gemini-3.5-flash", "hi"],
            2,
        ),
        (&["ask", " "], 2),
    ] {
        assert_eq!(stage.simulated.call(arguments).code, code, "{arguments:?}");
    }
    let answer = stage.ask_scripted(&["--session", "10eac96a-83a2-42b4-ab4b-78aa9e87c983"]);
    assert_eq!(answer["error_kind"], "session_not_found", "{answer}");
}

/// Memory that a process shares with nobody.
fn private_kib(pid: u32) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) else {
        return 0;
    };
    let fields = text.lines().filter(|line| line.starts_with("Private_"));
    fields
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum()
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => folder_bytes(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}

#[test]
fn folders_that_would_undo_the_sandbox_are_refused() {
    let stage = AgentWorld::scripted(&format!("{INIT}{RESULT}"));
    assert_eq!(stage.ask_scripted(&[])["success"], true);
    for folder in ["/", "/proc", "/dev", "user", "home", "home/agents", "."] {
        let answer = stage.ask_scripted(&["--cd", folder]);
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "success",
                "tool",
                "error",
                "error_kind",
                "error_detail",
                "duration"
            ]
        );
        assert_eq!(answer["error_kind"], "invalid_input", "{folder}: {answer}");
    }
    let answer = stage.ask_scripted(&["--cd", "nowhere"]);
    assert_eq!(
        (&answer["tool"], &answer["error_kind"]),
        (&"gemini".into(), &"not_found".into())
    );
}

#[test]
fn a_conversation_outlives_a_follow_up_that_fails() {
    let stage = AgentWorld::scripted(&format!("{INIT}{RESULT}"));
    let first = stage.ask_scripted(&[]);
    let session = first["SESSION_ID"].as_str().expect("a session").to_owned();
    let mut without = stage.scripted_command(&["--session", &session]);
    let called = stage
        .simulated
        .world
        .finish(without.env("PATH", "/nowhere").output().unwrap());
    let answer: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(answer["error_kind"], "command_not_found", "{answer}");
    assert_eq!(stage.ask_scripted(&["--session", &session])["success"], true);
    // A new conversation that calls itself like this one does not become it.
    let file = stage.path("home/agents/sessions/gemini").join(&session);
    let home = std::fs::read_to_string(&file).unwrap();
    assert_eq!(stage.ask_scripted(&[])["success"], true);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), home);
    let alarm = stage.simulated.event("step_alarm");
    assert!(
        alarm["data"]["message"].as_str().unwrap().contains(&session),
        "{alarm}"
    );
}

#[test]
fn an_agent_that_changed_files_is_not_asked_twice() {
    let stage = AgentWorld::scripted("  - append: { file: log.txt, text: \"once\\n\" }\n  - exit: 1\n");
    stage.ask_scripted(&["--max-retries", "2"]);
    assert_eq!(
        std::fs::read_to_string(stage.path("project/log.txt")).unwrap(),
        "once\n"
    );
}

#[test]
fn what_a_stopped_agent_used_is_counted() {
    let call = r#"  - http:
      url: "{{env:GOOGLE_GEMINI_BASE_URL}}/v1beta/models/gemini-3.5-flash:generateContent"
      method: POST
      headers: { x-goog-api-key: "{{env:GEMINI_API_KEY}}", content-type: application/json }
      body: '{"contents":[{"role":"user","parts":[{"text":"a question"}]}],"generationConfig":{"maxOutputTokens":2000}}'
  - shell: "touch called 2>/dev/null || true"
  - print: '{"type":"message","timestamp":"2026-11-15T10:00:01Z","role":"assistant","content":"Asked.","delta":true}'
  - http:
      url: "{{env:GOOGLE_GEMINI_BASE_URL}}/v1beta/models/gemini-3.5-flash:countTokens"
      method: POST
      headers: { x-goog-api-key: "{{env:GEMINI_API_KEY}}", content-type: application/json }
      body: '{"contents":[{"role":"user","parts":[{"text":"a question"}]}]}'
  - hang: true
"#;
    for (sandbox, fact) in [("workspace-write", "step_failed"), ("read-only", "step_lost")] {
        let stage = AgentWorld::scripted(&format!("{INIT}{call}"));
        let mut child = stage
            .scripted_command(&["--sandbox", sandbox])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Counting costs nothing, and comes after everything that is looked at.
        until("the count", || {
            (stage.simulated.running.log().entries().len() == 2).then_some(())
        });
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(
            stage.simulated.event(fact)["data"]["charge"]["tokens"],
            5_000,
            "{sandbox}"
        );
        stage.assert_nothing_runs();
    }
}
