//! The fake agent, as a process.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gemicro_sim::agent::{AgentIdentity, AgentScript, install};
use serde_json::Value;

use crate::client::start;

const PROGRAM: &str = env!("CARGO_BIN_EXE_sim-agent");
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is gone when the test is over.
struct Folder(PathBuf);

/// Makes the names of scripts unique: a process may read its own when the next is written already.
static N_SCRIPTS: AtomicUsize = AtomicUsize::new(0);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gemicro-sim-agent-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the test is well-formed");
        Self(path)
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(file);
        std::fs::write(&path, text).expect("the test is well-formed");
        path
    }

    /// A process that performs a script in this folder.
    fn command(&self, script: &str) -> Command {
        let number = N_SCRIPTS.fetch_add(1, Ordering::Relaxed);
        let script = self.write(&format!("script-{number}.yaml"), script);
        let mut command = Command::new(PROGRAM);
        command.arg("--script").arg(script).arg("--");
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }

    fn run(&self, steps: &str) -> Output {
        self.command(&format!("steps:\n{steps}"))
            .output()
            .expect("the test is well-formed")
    }

    fn start(&self, steps: &str) -> Child {
        let mut command = self.command(&format!("steps:\n{steps}"));
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the test is well-formed")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How a process ends; one that does not is killed and fails the test.
fn ended(process: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = process.try_wait().expect("it is a child of the test") {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            process.kill().expect("it is a child of the test");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// State, parent and session of a process; nothing once it is gone.
fn process(pid: &str) -> Option<(String, String, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields[0].to_owned(), fields[1].to_owned(), fields[3].to_owned()))
}

fn signal(name: &str, pid: &str) {
    let done = Command::new("sh")
        .arg("-c")
        .arg(format!("kill -{name} {pid}"))
        .status();
    assert!(done.expect("the test is well-formed").success());
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the test is well-formed")
}

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
fn hangs_and_ignores_signals() {
    let folder = Folder::new("hangs");
    let mut polite = folder.start("  - print: ready\n  - hang: true\n");
    let mut stubborn = folder.start("  - ignore: [TERM, INT, HUP]\n  - print: ready\n  - hang: true\n");
    for process in [&mut polite, &mut stubborn] {
        let mut ready = [0; 6];
        process.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        signal("TERM", &process.id().to_string());
    }
    signal("INT", &stubborn.id().to_string());
    let end = (ended(&mut polite).code(), stubborn.try_wait().unwrap());
    assert_eq!(end, (None, None), "one died of the signal, the other did not");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(stubborn.try_wait().unwrap(), None, "still there");
    stubborn.kill().unwrap();
    assert_eq!(stubborn.wait().unwrap().code(), None);
    let killed = folder.run("  - signal: KILL\n  - print: never\n");
    assert_eq!((killed.status.code(), killed.stdout.len()), (None, 0));
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
fn leaves_grandchildren() {
    let folder = Folder::new("leaves");
    let output = folder.run(
        "  - daemon: { pid_file: pid.txt, steps: [{ create: { file: up.txt, text: '{{pid}}' } }, { hang: true }] }\n  - print: gone\n",
    );
    assert_eq!(text(&output.stdout), "gone\n");
    let pid = folder.read("pid.txt");
    until("the daemon works", || {
        folder.0.join("up.txt").exists() && folder.read("up.txt") == pid
    });
    let (_, parent, session) = process(&pid).expect("it outlives its agent");
    let own = process(&std::process::id().to_string()).unwrap();
    assert_ne!(session, own.2, "a session of its own");
    assert_ne!(parent, std::process::id().to_string());
    signal("KILL", &pid);
    until("it is gone", || {
        process(&pid).is_none_or(|(state, ..)| state == "Z")
    });
}

#[test]
fn background_commands_hold_the_output_open() {
    let folder = Folder::new("background");
    let steps = "  - background: 'while [ ! -e go ]; do sleep 0.02; done; echo late'\n  - print: now\n";
    let mut process = folder.start(steps);
    assert!(ended(&mut process).success(), "the agent does not wait");
    folder.write("go", "");
    let mut all = String::new();
    process.stdout.take().unwrap().read_to_string(&mut all).unwrap();
    assert_eq!(all, "now\nlate\n");
    // The other way round: closed by an agent that lives on.
    let mut closing = folder.start("  - print: last\n  - close: stdout\n  - hang: true\n");
    let mut all = String::new();
    closing.stdout.take().unwrap().read_to_string(&mut all).unwrap();
    assert_eq!((all.as_str(), closing.try_wait().unwrap()), ("last\n", None));
    closing.kill().unwrap();
    closing.wait().unwrap();
}

#[test]
fn children_multiply_within_bounds() {
    let folder = Folder::new("multiply");
    // Each child ends with the agent's group, which the test makes and ends.
    let mut command = folder
        .command("steps:\n  - fork: { most: 5, count_file: n.txt }\n  - print: enough\n  - hang: true\n");
    let mut process = std::os::unix::process::CommandExt::process_group(&mut command, 0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut enough = [0; 7];
    process.stdout.as_mut().unwrap().read_exact(&mut enough).unwrap();
    assert_eq!(folder.read("n.txt"), "5");
    let pid = process.id().to_string();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    if let Ok(children) = children {
        assert_eq!(children.split_whitespace().count(), 5);
    }
    signal("KILL", &format!("-{pid}"));
    process.wait().unwrap();
}

#[test]
fn becomes_itself_again() {
    let folder = Folder::new("again");
    let mut command = folder.command(
        "steps:\n  - print: '{{pid}}'\n  - exec: [{ print: '{{pid}} {{args}}' }, { repeat: { times: 2, steps: [{ write: x }] } }, { exit: 5 }]\n",
    );
    let process = command.args(["-a", "b"]).stdout(Stdio::piped()).spawn().unwrap();
    let pid = process.id();
    let output = process.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), format!("{pid}\n{pid} -a b\nxx"));
    assert_eq!(output.status.code(), Some(5));
    let waited = folder.run("  - child: { wait: true, output: inherit, steps: [{ sleep: 50ms }, { print: child }] }\n  - print: parent\n");
    assert_eq!(text(&waited.stdout), "child\nparent\n");
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
