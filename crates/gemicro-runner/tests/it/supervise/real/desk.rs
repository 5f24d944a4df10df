//! A machine with the real CLIs on it and a simulated provider behind its gateway.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use gemicro_runner::supervise::{AgentTurn, RunLimits, TurnOutcome, WarmAgent};
use gemicro_runner::{AgentCli, AgentPrompt, ClaudeCode, GeminiAcp};
use gemicro_sim::scenario::Scenario;
use gemicro_sim::{LogEntry, RunningSimulator, Simulator};

use crate::supervise::tiers::tiers;
use crate::supervise::world::{Run, Seen, World};

/// A model that remembers the words it was told, if it is still shown them.
pub(crate) const REMEMBERS: &str = "  - { name: both, when: { prompt_contains: which words, history_contains: [WALRUS, OTTER] }, reply: { text: 'WALRUS and OTTER.' } }\n  \
     - { name: one, when: { prompt_contains: which words, history_contains: WALRUS }, reply: { text: 'WALRUS.' } }\n  \
     - { name: none, when: { prompt_contains: which words }, reply: { text: 'No idea.' } }\n  \
     - { name: waits, when: { prompt_contains: wait for it }, reply: { text: 'late', gate: { name: late } } }\n  \
     - { name: answers, reply: { text: 'An honest answer.' } }\n";

pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) provider: RunningSimulator,
}

/// A real CLI and a model of it that the simulator knows.
pub(crate) struct Real {
    pub(crate) cli: Box<dyn AgentCli>,
    pub(crate) model: &'static str,
}

pub(crate) fn gemini() -> Real {
    Real {
        cli: Box::new(GeminiAcp),
        model: "gemini-3.5-flash",
    }
}

pub(crate) fn claude() -> Real {
    Real {
        cli: Box::new(ClaudeCode),
        model: "claude-opus-4-8",
    }
}

impl Desk {
    pub(crate) async fn new(rules: &str) -> Self {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/agents/node_modules/.bin");
        let programs =
            std::fs::canonicalize(programs).expect("the agent CLIs are missing: run `cargo xtask setup`");
        let world = World::bare();
        std::fs::remove_dir_all(world.path("user/tools")).unwrap();
        std::fs::create_dir(world.path("user/tools")).unwrap();
        std::os::unix::fs::symlink(programs, world.path("user/tools/bin")).unwrap();
        let text = format!("scenario: test\nrules:\n{rules}");
        let scenario = Scenario::parse("test.yaml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let provider = Simulator::start(scenario, any).await.unwrap();
        Self { world, provider }
    }

    pub(crate) fn run(&self, real: &Real, prompt: &str) -> Run {
        Run {
            limits: limits(),
            has_gateway: true,
            prompt: AgentPrompt::user(prompt),
            model: Some(real.model.to_owned()),
            ..Run::new(tiers()[0])
        }
    }

    pub(crate) fn watcher(&self) -> Seen {
        Seen {
            forwards: Some(self.provider.addr()),
            ..Seen::default()
        }
    }

    /// A warm process that has had this first turn.
    pub(crate) async fn warm(&self, real: &Real, prompt: &str) -> WarmAgent {
        let (outcome, agent) = self
            .world
            .warm(real.cli.as_ref(), self.run(real, prompt), &mut self.watcher())
            .await;
        assert_eq!(said(&outcome), "An honest answer.", "{outcome:#?}");
        agent.unwrap()
    }

    pub(crate) fn turn(&self, prompt: &str) -> AgentTurn {
        AgentTurn {
            limits: limits(),
            ..self.world.turn(prompt)
        }
    }

    /// The last request that made the model speak.
    pub(crate) fn last_request(&self) -> LogEntry {
        let mut entries = self.provider.log().entries().into_iter();
        entries.rfind(|entry| entry.rule.is_some()).unwrap()
    }
}

/// The usual ones: a cancel has to be over in two seconds.
fn limits() -> RunLimits {
    RunLimits {
        idle: Duration::from_secs(60),
        total: Duration::from_secs(120),
        ..RunLimits::default()
    }
}

pub(crate) fn said(outcome: &TurnOutcome) -> &str {
    outcome.result.as_ref().map_or("", |end| end.text.as_str())
}
