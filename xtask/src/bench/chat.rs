//! Measures chat turns with the real Gemini CLI and a simulated model of realistic speed: the time that a person waits,
//! and the part that gemicro adds.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::bench_desk::BenchDesk;
use super::release::release_binary;
use super::samples::{at_most, milliseconds};
use super::simulator::BenchSimulator;

/// The model's own time: until its first word, and then for an answer of usual length.
const FIRST_MS: u64 = 900;
const BETWEEN_MS: u64 = 60;
const ANSWER: &str = "Here is what I would do next, step by step, and why I would do it in this order.";

/// Number of messages in one conversation; the last one has the whole history before it.
const MESSAGES: usize = 20;

/// Bars: the first message, one with a short history, one with a long history, a summary.
const FIRST_BAR: Duration = Duration::from_secs(5);
const FOLLOW_UP_BAR: Duration = Duration::from_secs(8);
const LONG_BAR: Duration = Duration::from_secs(12);
const SUMMARY_BAR: Duration = Duration::from_secs(5);

/// Talks to the agent and prints the times against the bars.
pub(crate) fn run(root: &Path) -> Result<()> {
    let agents = root.join(".tools/agents/node_modules/.bin");
    if !agents.join("gemini").exists() {
        bail!("Gemini CLI is missing: run `cargo xtask setup`");
    }
    let program = release_binary(root)?;
    let mut desk = BenchDesk::new(&program)?;
    let scenario = desk.path("scenario.yaml");
    std::fs::write(&scenario, scenario_text())?;
    let simulator = BenchSimulator::start(&program, &scenario.to_string_lossy())?;
    desk.set_agents(&agents);
    desk.set("GEMINI_API_KEY", "simulated");
    desk.set("GOOGLE_GEMINI_BASE_URL", &simulator.url);
    println!("  the model itself takes {FIRST_MS} ms to its first word, then {BETWEEN_MS} ms a piece");

    let mut chat = BenchChat::open(&desk, &["--model", "gemini-3.5-flash"])?;
    let times = turns(&mut chat)?;
    row("Gemini CLI, first message", times[0].0, FIRST_BAR);
    row("Gemini CLI, third message", times[2].0, FOLLOW_UP_BAR);
    row("Gemini CLI, message 20", times[MESSAGES - 1].0, LONG_BAR);
    drop(chat);

    // Prompts so short that old turns have to be summarised.
    let more = ["--model", "api:gemini-3.5-flash", "--max-tokens", "2000"];
    let mut chat = BenchChat::open(&desk, &more)?;
    let times = turns(&mut chat)?;
    row("API, first message", times[0].0, FIRST_BAR);
    row("API, third message", times[2].0, FOLLOW_UP_BAR);
    row("API, message 20, compressed", times[MESSAGES - 1].0, LONG_BAR);
    if !times[MESSAGES - 1].1 {
        bail!("nothing was compressed in {MESSAGES} messages");
    }
    drop(chat);
    let (n_summaries, longest) = summaries(&desk)?;
    println!("  {n_summaries} summaries were written beside the talk; no turn waited for one");
    row("the longest summary", longest, SUMMARY_BAR);
    Ok(())
}

fn scenario_text() -> String {
    let delay =
        format!("chunks: {{ sizes: [12] }}, delay: {{ first_ms: {FIRST_MS}, between_ms: {BETWEEN_MS} }}");
    format!(
        "scenario: chat\nrules:\n  \
         - {{ name: summary, when: {{ prompt_contains: 'Summarise turns' }}, reply: {{ text: 'They planned the work of the week.', {delay} }} }}\n  \
         - {{ name: answers, reply: {{ text: '{ANSWER}', {delay} }} }}\n"
    )
}

/// The time of each turn, and whether the prompt was compressed by then.
fn turns(chat: &mut BenchChat) -> Result<Vec<(Duration, bool)>> {
    let filler =
        "We talked about the queue, the parser and the release, and agreed to look at each of them again. ";
    let message = |n: usize| format!("Message {n}. {}", filler.repeat(6));
    (1..=MESSAGES).map(|n| chat.say(&message(n))).collect()
}

fn row(what: &str, time: Duration, bar: Duration) {
    println!("  {what}: {} {}", milliseconds(time), at_most(time, bar));
}

/// The number of summaries, and the time of the longest.
fn summaries(desk: &BenchDesk) -> Result<(usize, Duration)> {
    let said = crate::process::output(&mut desk.command(&["runs", "--format", "json"]))?;
    let runs: Vec<Value> = serde_json::from_str(&said).context("the list of runs is not JSON")?;
    let is_summary = |run: &&Value| {
        let title = run["title"].as_str();
        title.is_some_and(|title| title.starts_with("Summary of turns")) && run["status"] == "completed"
    };
    let mut times = Vec::new();
    for run in runs.iter().filter(is_summary) {
        let id = run["run"].as_str().context("a run without an id")?;
        let shown = crate::process::output(&mut desk.command(&["show", id, "--format", "json"]))?;
        let shown: Value = serde_json::from_str(&shown).context("the story of a run is not JSON")?;
        let duration_ms = shown["worked_ms"].as_u64();
        times.push(Duration::from_millis(
            duration_ms.context("a run without a duration")?,
        ));
    }
    let longest = times.iter().max().copied();
    Ok((times.len(), longest.context("no summary was written")?))
}

/// A chat over JSON lines.
struct BenchChat {
    child: Child,
    input: ChildStdin,
    lines: BufReader<ChildStdout>,
    is_compressed: bool,
}

impl BenchChat {
    fn open(desk: &BenchDesk, more: &[&str]) -> Result<Self> {
        let mut arguments = vec!["chat", "--plain", "--format", "json"];
        arguments.extend(more);
        let mut child = desk
            .command(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start the chat")?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut chat = Self {
            input: input.context("no input")?,
            lines: BufReader::new(output.context("no output")?),
            child,
            is_compressed: false,
        };
        chat.until("opened")?;
        Ok(chat)
    }

    /// Sends a message; returns the time until its answer is complete.
    fn say(&mut self, text: &str) -> Result<(Duration, bool)> {
        let began_at = Instant::now();
        writeln!(self.input, "{text}")?;
        self.input.flush()?;
        self.until("answered")?;
        Ok((began_at.elapsed(), self.is_compressed))
    }

    fn until(&mut self, wanted: &str) -> Result<()> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line)? == 0 {
                bail!("the chat ended before `{wanted}`");
            }
            let news: Value = serde_json::from_str(&line).context("a line that is not JSON")?;
            match news["type"].as_str().unwrap_or_default() {
                "failed" | "refused" => bail!("the chat failed: {news}"),
                "meter" => self.is_compressed = news["is_compressed"] == true,
                kind if kind == wanted => return Ok(()),
                _ => {}
            }
        }
    }
}

impl Drop for BenchChat {
    fn drop(&mut self) {
        // Summaries in progress continue in the worker.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
