//! The fake agent, as a process.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gemicro_sim::agent::{AgentIdentity, AgentScript, install};
use serde_json::Value;

use crate::agent_folder::{Folder, PROGRAM, ended, process, text};
use crate::client::start;

#[test]
fn prints_and_ends_as_scripted() {
    let folder = Folder::new("prints");
    let output = folder.run(
        "  - print: '{\"a\":{\"b\":{}},\"at\":\"{{cwd}}\"}'\n  - stderr: noise\n  - write: half\n  - bytes: \"ff fe 0a\"\n  - exit: 7\n  - print: never\n",
    );
    assert_eq!(output.status.code(), Some(7));
    let expected = format!("{{\"a\":{{\"b\":{{}}}},\"at\":\"{}\"}}\nhalf", folder.0.display());
    assert_eq!(output.stdout, [expected.as_bytes(), b"\xff\xfe\n"].concat());
    assert_eq!(text(&output.stderr), "noise\n");
    let silent = folder.run("  - exit: 3\n");
    assert_eq!(
        (silent.status.code(), silent.stdout.len(), silent.stderr.len()),
        (Some(3), 0, 0)
    );
    assert_eq!(folder.run("  - hang: false\n").status.code(), Some(0));
}

#[test]
fn plays_a_capture_in_time() {
    let folder = Folder::new("plays");
    folder.write(
        "capture.jsonl",
        "{\"n\":1}\n{\"id\":\"OLD\"}\nnot utf-8: \u{fffd}\nlast without end",
    );
    let whole = folder.run("  - play: { file: capture.jsonl }\n");
    assert_eq!(whole.stdout, folder.read("capture.jsonl").into_bytes());
    let begun = Instant::now();
    let script = "steps:\n  - play: { file: capture.jsonl, first: 2, last: 3, delays: [80ms], delay: 60ms, replace: { OLD: '{{arg:--session-id}}' } }\n";
    let output = folder
        .command(script)
        .args(["--session-id", "new"])
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout), "{\"id\":\"new\"}\nnot utf-8: \u{fffd}\n");
    assert!(
        begun.elapsed() >= Duration::from_millis(140),
        "{:?}",
        begun.elapsed()
    );
    let missing = folder.run("  - play: { file: nowhere.jsonl }\n");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("nowhere.jsonl"), "{missing:?}");
}

#[test]
fn floods() {
    let folder = Folder::new("floods");
    let lines = folder.run("  - flood: { bytes: 1000000, line: 80 }\n").stdout;
    assert_eq!(lines.len(), 1_000_000);
    assert!(lines.split(|byte| *byte == b'\n').all(|line| line.len() <= 79));
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), 12_500);
    let one = folder
        .run("  - flood: { bytes: 300000 }\n  - write: \"\\n\"\n")
        .stdout;
    assert_eq!(
        (one.len(), one.iter().position(|byte| *byte == b'\n')),
        (300_001, Some(300_000))
    );
    let bad = folder
        .run("  - flood: { bytes: 50, invalid_utf8: true, to: stderr }\n")
        .stderr;
    assert!(bad.len() == 50 && std::str::from_utf8(&bad).is_err());
    // Without an end it goes on for as long as anyone reads, and no longer.
    let mut endless = folder.start("  - flood: { line: 10 }\n");
    let mut some = vec![0; 5_000_000];
    endless.stdout.take().unwrap().read_exact(&mut some).unwrap();
    assert_eq!(ended(&mut endless).code(), Some(1));
}

#[test]
fn reads_standard_input() {
    let folder = Folder::new("reads");
    let script = "steps:\n  - read: { until: line }\n  - print: 'first {{json:stdin}}'\n  - read: { until: end, save: rest.txt }\n  - when: { stdin: '*second*', steps: [{ print: all }] }\n";
    let mut process = folder.command(script);
    let mut process = process
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(b"one \"1\"\n").unwrap();
    let mut stdout = process.stdout.take().unwrap();
    let mut first = vec![0; "first one \\\"1\\\"\\n\n".len()];
    stdout.read_exact(&mut first).unwrap();
    assert_eq!(
        text(&first),
        "first one \\\"1\\\"\\n\n",
        "it answers before the end of its input"
    );
    stdin.write_all(b"second\xff").unwrap();
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "all\n");
    assert_eq!(std::fs::read(folder.0.join("rest.txt")).unwrap(), b"second\xff");
    assert!(process.wait().unwrap().success());
}

#[test]
fn works_with_files_and_the_shell() {
    let folder = Folder::new("works");
    let output = folder.run(
        "  - create: { file: a.txt, text: 'one two' }\n  - replace: { file: a.txt, old: one, new: 'not {{pid}}' }\n  - append: { file: a.txt, text: '!' }\n  - create: { file: b.txt, text: b }\n  - remove: b.txt\n  - print: before\n  - shell: 'cat a.txt; echo; ls *.txt; exit 4'\n  - print: after\n",
    );
    let a = folder.read("a.txt");
    assert!(a.starts_with("not ") && a.ends_with(" two!"), "{a}");
    assert_eq!(text(&output.stdout), format!("before\n{a}\na.txt\nafter\n"));
    let failed = folder.run("  - replace: { file: a.txt, old: nothing, new: x }\n  - print: never\n");
    assert_eq!((failed.status.code(), failed.stdout.len()), (Some(1), 0));
    assert!(
        text(&failed.stderr).contains("`nothing` was not found in a.txt"),
        "{failed:?}"
    );
}

#[test]
fn reports_itself() {
    let folder = Folder::new("reports");
    let script = folder.write("script.yaml", "steps: [{ report: report.json }]");
    let output = Command::new("sh")
        .args(["-c", "exec 7</dev/zero; exec \"$@\"", "sh", PROGRAM, "--script"])
        .arg(script)
        .args(["--", "-p", "x y"])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .env_clear()
        .env("ONLY", "this")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_str(&folder.read("report.json")).unwrap();
    assert_eq!(report["arguments"], serde_json::json!(["-p", "x y"]));
    // A shell adds a little of its own.
    assert_eq!(report["environment"]["ONLY"], "this");
    assert_eq!(report["environment"]["HOME"], Value::Null);
    let there = folder.0.canonicalize().unwrap();
    assert_eq!(Path::new(report["folder"].as_str().unwrap()), there);
    let descriptors = &report["descriptors"];
    assert_eq!(
        (&descriptors["0"], &descriptors["7"]),
        (&"/dev/null".into(), &"/dev/zero".into())
    );
    assert!(
        descriptors["1"].as_str().unwrap().starts_with("pipe:"),
        "{report}"
    );
    assert_eq!(descriptors["6"], Value::Null);
    let own = process(&std::process::id().to_string()).unwrap();
    assert_eq!(report["parent"].to_string(), std::process::id().to_string());
    // 0 where the tests themselves were started from outside their namespace.
    assert_eq!(report["session"].to_string(), own.2);
}

#[test]
fn is_found_under_the_name_of_a_real_cli() {
    let folder = Folder::new("it's installed");
    let script = folder.write("my script.yaml", "steps:\n  - when: { argument: '--resume', steps: [{ print: resumed }], otherwise: [{ print: '{{args}}' }] }\n");
    for (identity, version) in [
        (AgentIdentity::Gemini, "0.61.0\n"),
        (AgentIdentity::Claude, "2.1.197 (Claude Code)\n"),
        (AgentIdentity::Codex, "codex-cli 0.166.0\n"),
    ] {
        let program = install(&folder.0.join("bin"), identity, &script, &[PROGRAM.into()]).unwrap();
        assert_eq!(program.file_name().unwrap(), identity.program());
        let says = |arguments: &[&str]| {
            let output = Command::new(&program).args(arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(says(&["--version"]), version);
        assert_eq!(says(&["-m", "x", "$HOME 'q'"]), "-m x $HOME 'q'\n");
        assert_eq!(says(&["--resume", "id"]), "resumed\n");
    }
    let output = folder
        .command("agent: gemini\nversion: 9.8.7\nsteps: [{ exit: 1 }]")
        .arg("--version")
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout), "9.8.7\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asks_the_model_in_its_environment() {
    let simulator = start("scenario: s\nrules:\n  - { times: 3, reply: { text: fine } }\n  - fault: { http: { status: 429 } }\n").await;
    let folder = Folder::new("asks");
    let script = r#"steps:
  - http:
      url: "{{env:GOOGLE_GEMINI_BASE_URL}}/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
      headers: { x-goog-api-key: "{{env:GEMINI_API_KEY}}", content-type: application/json }
      body: '{"contents":[{"parts":[{"text":"{{json:arg:-p}}"}]}]}'
      times: 10
      delay: 1ms
      save: answers.jsonl
      exit_unless_ok: 6
"#;
    let mut command = folder.command(script);
    command
        .args(["-p", "say \"x\""])
        .env("GOOGLE_GEMINI_BASE_URL", simulator.url())
        .env("GEMINI_API_KEY", "sim-key-12345678");
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    let answers: Vec<Value> = folder
        .read("answers.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let statuses: Vec<u64> = answers
        .iter()
        .filter_map(|answer| answer["status"].as_u64())
        .collect();
    assert_eq!(statuses, [200, 200, 200, 429]);
    assert!(
        answers[0]["body"].as_str().unwrap().contains("\"fine\""),
        "{}",
        answers[0]
    );
    assert_eq!(simulator.log().entries()[0].prompt, "say \"x\"");
    simulator.shutdown().await;
    let refused =
        folder.run("  - http: { url: 'http://127.0.0.1:1/x', save: refused.jsonl }\n  - print: on\n");
    assert_eq!(text(&refused.stdout), "on\n");
    assert!(folder.read("refused.jsonl").contains("error"));
}

/// Script, and the start of the message.
const BAD: &[(&str, &str)] = &[
    ("", "s.yaml:1:1: the file is empty: expected a script"),
    (
        "steps: [{ prin: x }]",
        "s.yaml:1:11: unknown variant `prin`, expected one of print, stderr, ",
    ),
    (
        "step: []",
        "s.yaml:1:1: unknown field `step`, expected one of agent, version, steps",
    ),
    (
        "steps:\n  - sleep: 3\n",
        "s.yaml:2:12: `3` is not a time: expected one like 250ms, 2s or 1m",
    ),
    ("steps:\n  - exit: 256\n", "s.yaml:2:11: "),
    (
        "steps:\n  - print: '{{envi:X}}'\n",
        "s.yaml:2:12: unknown field `{{envi:X}}`: expected env:NAME, ",
    ),
    (
        "steps:\n  - bytes: 'zz'\n",
        "s.yaml:2:12: `zz` is not hexadecimal",
    ),
    (
        "steps:\n  - ignore: [NOSUCH]\n",
        "s.yaml:2:14: unknown variant `NOSUCH`, expected one of HUP, INT",
    ),
    (
        "steps:\n  - child: { steps: [{ nap: 1s }] }\n",
        "s.yaml:2:24: unknown variant `nap`",
    ),
    (
        "agent: cursor\nsteps: []",
        "s.yaml:1:8: unknown variant `cursor`, expected one of gemini, claude, codex",
    ),
];

#[test]
fn errors_name_the_place() {
    let mut wrong = Vec::new();
    for (text, expected) in BAD {
        let error = AgentScript::parse("s.yaml", text).unwrap_err().to_string();
        if !error.starts_with(expected) {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
