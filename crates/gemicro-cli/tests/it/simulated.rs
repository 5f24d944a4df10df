//! A simulated provider in this process, and programs that ask it.

use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use gemicro_sim::scenario::{Scenario, ScenarioEndpoint};
use gemicro_sim::{LogEntry, RunningSimulator, Simulator};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::program::{Called, World};

/// The key that must never be seen anywhere.
pub(crate) const KEY: &str = "sim-key-c0ffee-5417-never-to-be-seen";

/// Long enough for any machine; nothing takes that long.
const LATE: Duration = Duration::from_secs(60);

/// A world whose provider is a simulator.
pub(crate) struct Simulated {
    pub(crate) world: World,
    pub(crate) running: RunningSimulator,
    runtime: Runtime,
}

/// The rules of a run without sources: `parts` sub-queries, short answers, the findings as the report.
pub(crate) fn research(parts: usize) -> String {
    let queries: Vec<String> = (1..=parts)
        .map(|n| format!("\"What is part {n} of it?\""))
        .collect();
    format!(
        "  - {{ name: synthesize, when: {{ prompt_contains: 'Findings:' }}, reply: {{ persona: researcher }} }}\n  \
         - {{ name: decompose, when: {{ prompt_contains: '\"sub_queries\"' }}, reply: {{ json: {{ sub_queries: [{}] }} }} }}\n  \
         - {{ name: answer, reply: {{ persona: researcher }} }}\n",
        queries.join(", ")
    )
}

impl Simulated {
    /// Rules of a scenario, as YAML list items.
    pub(crate) fn new(rules: &str) -> Self {
        let text = format!("scenario: test\nrules:\n{rules}");
        let scenario = Scenario::parse("test.yaml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let running = runtime.block_on(Simulator::start(scenario, any)).unwrap();
        Self {
            world: World::new(),
            running,
            runtime,
        }
    }

    /// The program, told where the provider is.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        command
            .env("GOOGLE_GEMINI_BASE_URL", self.running.url())
            .env("GEMINI_API_KEY", KEY);
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Called {
        self.world.finish(self.command(arguments).output().unwrap())
    }

    /// Asks a question without sources and without the web.
    pub(crate) fn ask(&self, more: &[&str]) -> Called {
        let mut arguments = vec!["research", "--no-web", "What is it?"];
        arguments.extend(more);
        self.call(&arguments)
    }

    /// A program that is watched while it runs.
    pub(crate) fn start(&self, arguments: &[&str]) -> Watched {
        let child = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Watched::new(child)
    }

    /// A question that is watched, as events.
    pub(crate) fn start_asking(&self, more: &[&str]) -> Watched {
        let mut arguments = vec!["research", "--no-web", "--format", "jsonl", "What is it?"];
        arguments.extend(more);
        self.start(&arguments)
    }

    /// Waits until so many replies wait at a gate.
    pub(crate) fn reached(&self, gate: &str, n_replies: usize) {
        let reached = self.running.gates().wait_until_reached(gate, n_replies);
        let in_time = self
            .runtime
            .block_on(async { tokio::time::timeout(LATE, reached).await });
        assert!(in_time.is_ok(), "gate {gate} was never reached");
    }

    /// Requests to one endpoint so far.
    pub(crate) fn requests(&self, endpoint: ScenarioEndpoint) -> Vec<LogEntry> {
        let entries = self.running.log().entries().into_iter();
        entries.filter(|entry| entry.endpoint == Some(endpoint)).collect()
    }

    /// How often each rule took a request that starts a call.
    pub(crate) fn posts(&self, rule: &str) -> usize {
        let posts = self.requests(ScenarioEndpoint::Interactions).into_iter();
        posts.filter(|post| post.rule.as_deref() == Some(rule)).count()
    }

    /// The events of the newest run.
    pub(crate) fn events(&self) -> Vec<Value> {
        let lines = self.world.must(&["events", "last"]).stdout;
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The first event of a kind in the newest run.
    pub(crate) fn event(&self, kind: &str) -> Value {
        let found = self.events().into_iter().find(|it| it["event_type"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}"))
    }

    /// The key is in no file of the state folder.
    pub(crate) fn assert_no_key(&self) {
        assert_not_in(&self.world.path("home"));
    }
}

fn assert_not_in(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            assert_not_in(&path);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "the key is in {}", path.display());
        }
    }
}

/// Waits for something that another process does.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let late = Instant::now() + LATE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < late, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A running program whose lines are read as they come.
pub(crate) struct Watched {
    child: Child,
    lines: mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Watched {
    fn new(mut child: Child) -> Self {
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// Waits for the line of an event and gives it.
    pub(crate) fn until_event(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next_event(kind);
            if event["event_type"] == kind {
                return event;
            }
        }
    }

    fn next_event(&mut self, wanted: &str) -> Value {
        let line = self.lines.recv_timeout(LATE);
        let line = line.unwrap_or_else(|_| panic!("no {wanted} among {:#?}", self.seen));
        let event = serde_json::from_str(&line).unwrap();
        self.seen.push(line);
        event
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end; stdout is all its lines.
    pub(crate) fn wait(mut self, world: &World) -> Called {
        let mut called = world.finish(self.child.wait_with_output().unwrap());
        self.seen.extend(self.lines.iter());
        called.stdout = self.seen.join("\n");
        called
    }
}
