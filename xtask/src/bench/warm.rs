//! Measures a follow-up turn of the real Gemini CLI against the simulator: newly started, through `gemicro mcp` with
//! the process kept warm, and directly over ACP.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::bench_desk::{BenchDesk, call, search_path};
use super::json_rpc::JsonRpc;
use super::release::release_binary;
use super::samples::{Samples, at_most, measure_time, milliseconds, verdict};
use super::simulator::BenchSimulator;

/// One cold turn, then warm ones of both kinds, alternating.
const ROUNDS: usize = 5;
const WARM_PER_ROUND: usize = 4;
/// Time after which no new round is started.
const LONGEST: Duration = Duration::from_secs(60);

/// Minimum ratio of a cold turn to a warm one.
const RATIO_BAR: f64 = 30.0;
const ADDED_BAR: Duration = Duration::from_millis(15);

const MODEL: &str = "gemini-3.5-flash";
const KEY: &str = "simulated";
const PROMPT: &str = "Go on.";
const SCENARIO: &str = "scenario: warm\nrules:\n  - { name: answers, reply: { text: An honest answer. } }\n";
/// Minimal settings for the CLI: no login questions, no updates, no telemetry.
const SETTINGS: &str = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},
"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"sessionRetention":{"enabled":false}},
"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}"#;

/// Times of a turn.
#[derive(Default)]
struct Times {
    cold: Samples,
    warm: Samples,
    acp: Samples,
}

/// Builds the release binary, runs turns in all three ways, prints the figures against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let agents = root.join(".tools/agents/node_modules/.bin");
    if !agents.join("gemini").exists() {
        bail!("Gemini CLI is missing: run `cargo xtask setup`");
    }
    let program = release_binary(root)?;
    let mut desk = BenchDesk::new(&program)?;
    let scenario = desk.path("scenario.yaml");
    std::fs::write(&scenario, SCENARIO)?;
    let simulator = BenchSimulator::start(&program, &scenario.to_string_lossy())?;
    desk.set_agents(&agents);
    desk.set("GEMINI_API_KEY", KEY);
    desk.set("GOOGLE_GEMINI_BASE_URL", &simulator.url);
    let gemini = PlainGemini {
        program: agents.join("gemini"),
        path: search_path(&agents),
        url: simulator.url.clone(),
        project: desk.path("project"),
        home: desk.path("gemini"),
    };
    let times = measure(&desk, &gemini)?;
    print(&times);
    Ok(())
}

fn measure(desk: &BenchDesk, gemini: &PlainGemini) -> Result<Times> {
    gemini.settle()?;
    let session = gemini.run(None)?;
    let mut client = McpClient::begin(desk)?;
    let mut acp = Acp::begin(gemini)?;
    let keeps = desk.worker()?["warm"].clone();
    // The first turn after the start finds empty caches.
    client.turn()?;
    acp.turn()?;
    let mut times = Times::default();
    let began_at = Instant::now();
    while times.cold.len() < ROUNDS && began_at.elapsed() < LONGEST {
        times
            .cold
            .push(measure_time(|| gemini.run(Some(&session)).map(drop))?);
        for _ in 0..WARM_PER_ROUND {
            times.warm.push(measure_time(|| client.turn())?);
            times.acp.push(measure_time(|| acp.turn())?);
        }
    }
    let kept = desk.worker()?["warm"].clone();
    if !keeps[0]["pid"].is_u64() || keeps[0]["pid"] != kept[0]["pid"] {
        bail!("the turns were not those of one process: first {keeps}, then {kept}");
    }
    Ok(times)
}

fn print(times: &Times) {
    let (cold, warm, acp) = (times.cold.median(), times.warm.median(), times.acp.median());
    println!("  cold, gemini --resume: {}", times.cold.spread());
    println!("  warm, through gemicro mcp: {}", times.warm.spread());
    println!("  warm, ACP spoken directly: {}", times.acp.spread());
    let ratio = ratio(cold, warm);
    let is_met = verdict(ratio >= RATIO_BAR);
    println!("  cold / warm: {ratio:.1} (bar {RATIO_BAR:.0}: {is_met})");
    let added = warm.saturating_sub(acp);
    println!(
        "  gemicro adds {} {}",
        milliseconds(added),
        at_most(added, ADDED_BAR)
    );
}

fn ratio(cold: Duration, warm: Duration) -> f64 {
    cold.as_secs_f64() / warm.as_secs_f64().max(f64::EPSILON)
}

/// The CLI without gemicro, with its own home.
struct PlainGemini {
    program: PathBuf,
    path: String,
    url: String,
    project: PathBuf,
    home: PathBuf,
}

impl PlainGemini {
    fn settle(&self) -> Result<()> {
        std::fs::create_dir_all(self.home.join(".gemini"))?;
        std::fs::create_dir_all(self.home.join("tmp"))?;
        Ok(std::fs::write(self.home.join(".gemini/settings.json"), SETTINGS)?)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["-m", MODEL])
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", &self.home)
            .env("GEMINI_CLI_HOME", &self.home)
            .env("TMPDIR", self.home.join("tmp"))
            .env("GEMINI_API_KEY", KEY)
            .env("GOOGLE_GEMINI_BASE_URL", &self.url)
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .env("GEMINI_CLI_NO_RELAUNCH", "1")
            .env("NO_COLOR", "1")
            .current_dir(&self.project);
        command
    }

    /// Runs one turn in a new process; returns the session.
    fn run(&self, session: Option<&str>) -> Result<String> {
        let mut command = self.command();
        command.args(["-o", "stream-json"]);
        if let Some(session) = session {
            command.args(["--resume", session]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(PROMPT.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        match session_of(&said) {
            Some(session) if output.status.success() => Ok(session),
            _ => bail!("gemini failed ({}): {said}", output.status),
        }
    }
}

/// The session in the lines of a turn that succeeded.
fn session_of(said: &str) -> Option<String> {
    let lines = said.lines().map(serde_json::from_str::<Value>);
    let lines: Vec<Value> = lines.filter_map(Result::ok).collect();
    let of_kind = |kind: &str| lines.iter().find(|line| line["type"] == kind);
    let is_success = of_kind("result")?["status"] == "success";
    let session = of_kind("init")?["session_id"].as_str()?;
    is_success.then(|| session.to_owned())
}

/// A conversation through `gemicro mcp`.
struct McpClient {
    server: JsonRpc,
    arguments: Value,
}

impl McpClient {
    fn begin(desk: &BenchDesk) -> Result<Self> {
        let mut server = desk.server()?;
        let mut arguments = json!({
            "PROMPT": PROMPT,
            "cd": desk.path("project"),
            "model": MODEL,
            "max_retries": 0,
        });
        let mut answer = call(&mut server, "gemini", &arguments)?;
        arguments["SESSION_ID"] = answer["SESSION_ID"].take();
        Ok(Self { server, arguments })
    }

    fn turn(&mut self) -> Result<()> {
        call(&mut self.server, "gemini", &self.arguments).map(drop)
    }
}

/// A conversation with the CLI itself.
struct Acp {
    agent: JsonRpc,
    prompt: Value,
}

impl Acp {
    fn begin(gemini: &PlainGemini) -> Result<Self> {
        let mut command = gemini.command();
        command.arg("--acp");
        let mut agent = JsonRpc::start(command)?;
        let hello = json!({
            "protocolVersion": 1,
            "clientInfo": { "name": "bench", "version": "1" },
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
        });
        agent.request("initialize", &hello)?;
        let place = json!({ "cwd": gemini.project, "mcpServers": [] });
        let session = agent.request("session/new", &place)?["sessionId"].take();
        let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": PROMPT }] });
        let mut acp = Self { agent, prompt };
        acp.turn()?;
        Ok(acp)
    }

    fn turn(&mut self) -> Result<()> {
        let answer = self.agent.request("session/prompt", &self.prompt)?;
        if answer["stopReason"] != "end_turn" {
            bail!("the turn did not end as it should: {answer}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_counts_when_its_turn_succeeded() {
        let init = r#"{"type":"init","session_id":"10eac96a"}"#;
        let result = |status: &str| format!("{{\"type\":\"result\",\"status\":\"{status}\"}}");
        let said = format!("[STARTUP]\n{init}\n{}\n", result("success"));
        assert_eq!(session_of(&said).as_deref(), Some("10eac96a"));
        assert_eq!(session_of(&format!("{init}\n{}\n", result("error"))), None);
        assert_eq!(session_of(init), None);
    }

    #[test]
    fn settings_and_ratio() {
        assert!(serde_json::from_str::<Value>(SETTINGS).is_ok());
        let ms = Duration::from_millis;
        assert!((ratio(ms(3000), ms(50)) - 60.0).abs() < 1e-9);
    }
}
