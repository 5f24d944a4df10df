//! What a batch works with: a store, a flaky model, a folder that commands write to.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::llm::{Backends, GEMINI, LlmConfig};
use gemicro_engine::{
    AgentSetup, BatchRequest, BatchSettings, Engine, EngineConfig, PolicyReader, SharedResources, read_batch,
};
use gemicro_event::Failure;
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::{Launcher, Tier, probe};
use gemicro_llm::{GeminiBackend, GeminiConfig};
use gemicro_sim::scenario::{Scenario, ScenarioEndpoint};
use gemicro_sim::{RunningSimulator, Simulator};
use gemicro_store::DurableStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A dead process keeps its batch so long.
const LEASE: Duration = Duration::from_millis(400);
/// Tasks of a batch.
pub(super) const N_TASKS: usize = 100;

/// Each third call or so fails in one way or another; a cut one goes on at the provider.
const FLAKY: &str = "
scenario: flaky
rules:
  - { name: cut again, when: { endpoint: get_interaction }, every: 5, fault: { cut: { after_chunks: 1 } } }
  - { name: limited, when: { endpoint: interactions }, every: 17, fault: { rate_limit: { seconds: 0.1 } } }
  - { name: broken, when: { endpoint: interactions }, every: 11, fault: { http: { status: 500 } } }
  - { name: proxy, when: { endpoint: interactions }, every: 13, fault: { html: { status: 502 } } }
  - name: dropped
    when: { endpoint: interactions }
    every: 6
    reply: { text: 'a word, and another one', chunks: { sizes: [4] }, delay: { between_ms: 10 } }
    fault: { cut: { after_chunks: 2 } }
  - name: answer
    when: { endpoint: interactions }
    reply: { text: 'a word, and another one', chunks: { sizes: [4] }, delay: { first_ms: 20, between_ms: 10 } }
";

/// A simulator and a place, gone at the end.
pub(super) struct World {
    pub(super) place: Place,
    pub(super) simulator: RunningSimulator,
    pub(super) engine: Engine,
    _folder: TempDir,
}

/// What another process needs to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) owner: String,
    /// The address of the server; without it the store is a file.
    pub(super) server: Option<String>,
    pub(super) model: String,
    /// Names the batch for whoever hands it in.
    pub(super) key: String,
}

impl World {
    /// Nothing where this machine has no sandbox, which CI does not allow.
    #[expect(clippy::print_stdout, reason = "a test that skips itself says so")]
    pub(super) async fn new(server: Option<String>) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let real = folder.path().canonicalize().unwrap();
        if probe(&launcher(), &real.join("probe")).unwrap().tier != Tier::Full {
            let has_program = Path::new("/usr/bin/bwrap").exists();
            assert!(has_program, "bubblewrap is missing: run `cargo xtask setup`");
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "this machine has no sandbox of tier full"
            );
            println!("SKIPPED: this machine has no sandbox of tier full");
            return None;
        }
        for name in ["home", "user", "project"] {
            std::fs::create_dir(real.join(name)).unwrap();
        }
        let scenario = Scenario::parse("flaky.yaml", FLAKY).unwrap();
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let simulator = Simulator::start(scenario, any).await.unwrap();
        let place = Place {
            key: real.display().to_string(),
            folder: real,
            owner: "the test".to_owned(),
            server,
            model: simulator.url(),
        };
        Some(Self {
            engine: place.engine().await.unwrap(),
            place,
            simulator,
            _folder: folder,
        })
    }

    /// How often each prompt was sent.
    pub(super) fn n_sent(&self) -> BTreeMap<String, usize> {
        let log = self.simulator.log();
        assert_eq!(log.n_dropped(), 0, "the log of the simulator is not whole");
        let mut n_sent = BTreeMap::new();
        let entries = log.entries().into_iter();
        for entry in entries.filter(|entry| entry.endpoint == Some(ScenarioEndpoint::Interactions)) {
            let task = entry.prompt.split_whitespace().last().unwrap_or_default();
            *n_sent.entry(task.to_owned()).or_default() += 1;
        }
        n_sent
    }

    /// How often each command wrote its line.
    pub(super) fn effects(&self) -> BTreeMap<String, usize> {
        let mut effects = BTreeMap::new();
        let text = std::fs::read_to_string(self.place.project().join("effects")).unwrap_or_default();
        for line in text.lines() {
            *effects.entry(line.to_owned()).or_default() += 1;
        }
        effects
    }
}

impl Place {
    pub(super) async fn engine(&self) -> Result<Engine, Failure> {
        let home = self.folder.join("home");
        let store = match &self.server {
            Some(address) => DurableStore::connect(address).await?,
            None => DurableStore::open(&home).await?,
        };
        let gemini = GeminiConfig {
            base_url: self.model.clone(),
            poll: Duration::from_millis(50),
            ..GeminiConfig::new("test-key-0123456789-abcdef")
        };
        let path = "/usr/local/bin:/usr/bin:/bin".to_owned();
        let config = EngineConfig {
            store: None,
            home: home.clone(),
            owner: format!("{} ({})", self.owner, std::process::id()),
            program: "gemicro test".to_owned(),
            llm: Backends::one(GEMINI, Arc::new(GeminiBackend::new(gemini).unwrap())),
            fetch: Default::default(),
            reader: None,
            agents: Some(AgentSetup {
                launcher: launcher(),
                environment: BTreeMap::from([("PATH".to_owned(), path)]),
                user_home: self.folder.join("user"),
                access: BTreeMap::new(),
                policy: PolicyReader::new(|| Ok(PolicyConfig::default())),
                remote_variables: Vec::new(),
                forges: Default::default(),
                workflows: Default::default(),
                max_agents: 4,
            }),
            secrets: Vec::new(),
            share_sources: false,
            max_parallel: 12,
            resident: false,
            credentials: String::new(),
            day_budget: gemicro_core::budget::Limits::NONE,
            notify: None,
        };
        let engine = Engine::over(Arc::new(store), config, SharedResources::new(&home));
        Ok(engine.tried_out(LEASE, 12, |journal| journal))
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// The same batch, however often it is asked for.
    pub(super) fn request(&self) -> BatchRequest {
        let tasks: Vec<Value> = (0..N_TASKS).map(task).collect();
        let batch = json!({ "key": self.key, "tasks": tasks });
        BatchRequest {
            batch: read_batch(batch.to_string().as_bytes()).unwrap(),
            settings: BatchSettings {
                llm: LlmConfig::default(),
                directory: self.project().display().to_string(),
                agent_idle_ms: 60_000,
                agent_total_ms: 60_000,
                coverage_reports: Vec::new(),
            },
            limits: Default::default(),
        }
    }

    /// Writes down under which id the batch is known.
    pub(super) fn note_batch(&self, batch: &str) {
        std::fs::write(self.folder.join("unfinished"), batch).unwrap();
        std::fs::rename(self.folder.join("unfinished"), self.folder.join("batch")).unwrap();
    }

    /// The batch, once it was handed in.
    pub(super) fn batch(&self) -> Option<String> {
        std::fs::read_to_string(self.folder.join("batch")).ok()
    }

    /// What a process leaves when it drives the batch.
    pub(super) fn sign(&self, process: u32) -> PathBuf {
        self.folder.join(format!("driving-{process}"))
    }
}

/// Prompts, commands that leave a trace and take a moment more, prompts that wait for others, searches.
fn task(number: usize) -> Value {
    let prompt = |task_id: &str| json!({ "prompt": format!("Say a word about {task_id}") });
    match number % 20 {
        0..=8 => {
            let task_id = format!("prompt-{number}");
            json!({ "task_id": task_id, "type": "prompt", "parameters": prompt(&task_id), "max_retries": 20 })
        }
        9..=16 => {
            let task_id = format!("shell-{number}");
            let command = format!("echo {task_id} >> effects; sleep 0.1");
            json!({ "task_id": task_id, "type": "execute_shell_command", "parameters": { "command": command } })
        }
        17 | 18 => {
            let task_id = format!("later-{number}");
            let before = format!("prompt-{}", number - number % 20);
            json!({ "task_id": task_id, "type": "prompt", "parameters": prompt(&task_id), "max_retries": 20,
                    "depends_on": [before] })
        }
        _ => {
            let parameters = json!({ "keywords": ["word"] });
            json!({ "task_id": format!("memory-{number}"), "type": "get_memory_summary", "parameters": parameters })
        }
    }
}

fn launcher() -> Launcher {
    Launcher {
        program: env!("CARGO_BIN_EXE_gemicro").into(),
        arguments: vec!["__launch".into()],
    }
}
