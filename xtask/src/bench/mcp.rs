//! Measures the cost of a `gemicro mcp` call besides the agent itself: with an agent that answers at once, journal
//! included.
//!
//! The agent is a script that imitates Codex. It is also started alone, alternating with the calls, and that time is
//! subtracted.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::bench_desk::{BenchDesk, call};
use super::json_rpc::JsonRpc;
use super::release::release_binary;
use super::samples::{Samples, at_most, measure_time, milliseconds};

const STARTS: usize = 30;
const CALLS: usize = 100;
/// Time after which no new round is started.
const LONGEST: Duration = Duration::from_secs(60);

const READY_BAR: Duration = Duration::from_millis(30);
/// Sandbox modes, and the bar for the added time, as the median.
const SANDBOXES: [(&str, Duration); 2] = [
    ("danger-full-access", Duration::from_millis(5)),
    ("workspace-write", Duration::from_millis(20)),
];

const PROMPT: &str = "Do it";
/// Uses only shell builtins, so that no other process is started. Each session needs its own name.
const FAKE: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    echo 'codex-cli 0.166.0'
    exit
fi
while read -r line; do :; done
read -r id < /proc/sys/kernel/random/uuid
echo "{\"type\":\"thread.started\",\"thread_id\":\"$id\"}"
echo '{"type":"turn.started"}'
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":2}}'
"#;
/// The arguments with which gemicro starts it.
const FAKE_ARGUMENTS: [&str; 6] = [
    "exec",
    "--json",
    "-s",
    "danger-full-access",
    "--skip-git-repo-check",
    "-",
];

/// Builds the release binary, calls it, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut desk = BenchDesk::new(&release_binary(root)?)?;
    let fake = install(&desk)?;
    desk.set_agents(fake.parent().context("a program lies in a folder")?);
    desk.set("OPENAI_API_KEY", "simulated");
    // No server listens there, and it is never called.
    desk.set("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");

    let ready = ready(&desk)?;
    println!(
        "  server ready: {} {}",
        ready.spread(),
        at_most(ready.median(), READY_BAR)
    );
    let mut server = desk.server()?;
    let (alone, calls) = calls(&desk, &fake, &mut server)?;
    println!("  the agent alone, a shell script: {}", alone.spread());
    for ((sandbox, bar), times) in SANDBOXES.iter().zip(&calls) {
        let added = times.median().saturating_sub(alone.median());
        println!(
            "  a call, {sandbox}: {}; gemicro adds {} {}",
            times.spread(),
            milliseconds(added),
            at_most(added, *bar)
        );
    }
    let status = status(&desk, &mut server)?;
    println!("  run_status: {} (no bar)", status.spread());
    Ok(())
}

/// Installs the agent like an npm package, because a sandbox may read those folders.
fn install(desk: &BenchDesk) -> Result<PathBuf> {
    let folder = desk.path("npm/node_modules/fake");
    std::fs::create_dir_all(&folder)?;
    let program = folder.join("codex");
    std::fs::write(&program, FAKE)?;
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755))?;
    Ok(program)
}

fn ready(desk: &BenchDesk) -> Result<Samples> {
    let mut times = Samples::default();
    for _ in 0..STARTS {
        let started_at = Instant::now();
        let server = desk.server()?;
        times.push(started_at.elapsed());
        drop(server);
    }
    Ok(times)
}

/// Measures the agent alone and the calls in each sandbox, alternating.
fn calls(desk: &BenchDesk, fake: &Path, server: &mut JsonRpc) -> Result<(Samples, [Samples; 2])> {
    for (sandbox, _) in SANDBOXES {
        ask(desk, server, sandbox)?;
    }
    desk.worker()?;
    start_alone(fake)?;
    let (mut alone, mut calls) = (Samples::default(), [Samples::default(), Samples::default()]);
    let began_at = Instant::now();
    while alone.len() < CALLS && began_at.elapsed() < LONGEST {
        alone.push(measure_time(|| start_alone(fake))?);
        for ((sandbox, _), times) in SANDBOXES.iter().zip(&mut calls) {
            times.push(measure_time(|| ask(desk, server, sandbox).map(drop))?);
        }
    }
    Ok((alone, calls))
}

fn ask(desk: &BenchDesk, server: &mut JsonRpc, sandbox: &str) -> Result<Value> {
    let arguments = json!({
        "PROMPT": PROMPT,
        "cd": desk.path("project"),
        "sandbox": sandbox,
        "max_retries": 0,
        "return_metrics": true,
    });
    let answer = call(server, "codex", &arguments)?;
    if answer["result"] != "Done." {
        bail!("unexpected answer of the agent: {answer}");
    }
    Ok(answer)
}

fn start_alone(fake: &Path) -> Result<()> {
    let mut child = Command::new(fake)
        .args(FAKE_ARGUMENTS)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", fake.display()))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(PROMPT.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() || !output.stdout.ends_with(b"}\n") {
        bail!("the agent alone failed ({})", output.status);
    }
    Ok(())
}

fn status(desk: &BenchDesk, server: &mut JsonRpc) -> Result<Samples> {
    let answer = ask(desk, server, SANDBOXES[0].0)?;
    let arguments = json!({ "run_id": answer["metrics"]["run_id"] });
    let mut times = Samples::default();
    for _ in 0..CALLS {
        times.push(measure_time(|| call(server, "run_status", &arguments).map(drop))?);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_speaks_as_codex_does() {
        let desk = BenchDesk::new(Path::new("/bin/true")).unwrap();
        let fake = install(&desk).unwrap();
        start_alone(&fake).unwrap();
        let output = Command::new(&fake).arg("exec").stdin(Stdio::null()).output();
        let said = String::from_utf8(output.unwrap().stdout).unwrap();
        let kinds: Vec<Value> = said
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].take())
            .collect();
        let expected = [
            "thread.started",
            "turn.started",
            "item.completed",
            "turn.completed",
        ];
        assert_eq!(kinds, expected);
    }
}
