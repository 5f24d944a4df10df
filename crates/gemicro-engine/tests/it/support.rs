//! Engines, documents and journals for the tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use gemicro_core::flow::StepFailure;
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::llm::{Backends, GEMINI, LlmBackend, LlmChunk, LlmConfig, LlmRequest};
use gemicro_core::research::ResearchConfig;
use gemicro_core::research::events::{FinalResult, ResearchReaders};
use gemicro_core::store::Store;
use gemicro_engine::{Backend, Engine, EngineConfig, Plan, Request, ResearchRequest};
use gemicro_event::{Event, Json, StreamId, is_terminal};
use tempfile::TempDir;

/// A state folder, a folder of documents and a record of all model calls, gone at the end.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).expect("made");
        let texts = [
            (
                "bridge.md",
                "Crossing 1 is the Lantern Bridge, opened in 1931. It carries the night trams.\n",
            ),
            (
                "ferry.md",
                "Crossing 2 is the ferry that runs every 20 minutes. It stops when the ice comes.\n",
            ),
            (
                "tunnel.md",
                "Crossing 3 is the tunnel with 870 metres. It was dug by hand.\n",
            ),
            (
                "ford.md",
                "Crossing 4 is the ford, passable from May to September. Cattle use it.\n",
            ),
            (
                "cable.md",
                "Crossing 5 is the cable car for 40 people. It is closed in storms.\n",
            ),
        ];
        for (name, text) in texts {
            std::fs::write(docs.join(name), text).expect("written");
        }
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A five-branch plan over the documents.
    pub(crate) fn plan(&self) -> Plan {
        plan(self.path())
    }

    pub(crate) async fn engine(&self) -> Engine {
        engine(self.path(), "the test", Duration::ZERO).await
    }

    pub(crate) fn n_calls(&self) -> usize {
        std::fs::read_to_string(self.path().join("calls"))
            .unwrap_or_default()
            .lines()
            .count()
    }
}

pub(crate) fn plan(place: &Path) -> Plan {
    let backend = Backend::Model {
        llm: LlmConfig::default(),
        web: false,
    };
    plan_with(vec![place.join("docs")], backend)
}

pub(crate) fn plan_with(sources: Vec<PathBuf>, backend: Backend) -> Plan {
    let request = ResearchRequest {
        question: "Which crossing is the best?".to_owned(),
        sources,
        backend,
        config: ResearchConfig::default(),
        limits: Default::default(),
        base: None,
    };
    Plan::of(&Request::Research(Box::new(request))).expect("a good plan")
}

pub(crate) async fn engine(place: &Path, owner: &str, delay: Duration) -> Engine {
    let model = CountedModel {
        model: ScriptedModel::new(Part::Perfect).with_delay(delay),
        calls: place.join("calls"),
    };
    engine_asking(place, owner, Arc::new(model)).await
}

pub(crate) async fn engine_asking(place: &Path, owner: &str, model: Arc<dyn LlmBackend>) -> Engine {
    let config = EngineConfig {
        agents: None,
        store: None,
        home: place.join("home"),
        owner: format!("{owner} ({})", std::process::id()),
        program: "gemicro test".to_owned(),
        llm: Backends::one(GEMINI, model),
        fetch: Default::default(),
        reader: None,
        secrets: Vec::new(),
        share_sources: false,
        max_parallel: 8,
        resident: false,
        credentials: String::new(),
        day_budget: gemicro_core::budget::Limits::NONE,
        notify: None,
    };
    Engine::open(config).await.expect("the store opens")
}

/// A perfect model that notes every call in a file, so that all processes together can be counted.
struct CountedModel {
    model: ScriptedModel,
    calls: PathBuf,
}

impl LlmBackend for CountedModel {
    fn name(&self) -> &str {
        "counted"
    }

    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.calls)
            .expect("opened");
        writeln!(file, "{}", request.label).expect("noted");
        self.model.stream(request, handle)
    }
}

pub(crate) async fn journal(engine: &Engine, run: &StreamId) -> Vec<Event> {
    engine
        .store()
        .read(run, 0, 10_000)
        .await
        .expect("the run is there")
        .events
}

pub(crate) fn count(events: &[Event], event_type: &str) -> usize {
    events
        .iter()
        .filter(|event| event.update.event_type == event_type)
        .count()
}

/// The one terminal event, which stands last.
pub(crate) fn terminal(events: &[Event]) -> &Event {
    let n_terminal = events
        .iter()
        .filter(|event| is_terminal(&event.update.event_type))
        .count();
    assert_eq!(n_terminal, 1, "terminal events");
    events
        .last()
        .filter(|last| is_terminal(&last.update.event_type))
        .expect("it stands last")
}

pub(crate) fn final_result(events: &[Event]) -> FinalResult {
    let last = terminal(events);
    last.update
        .as_final_result()
        .unwrap_or_else(|| panic!("{:?}", last.update))
}

/// The journal of an undisturbed run in a place of its own, with the documents of `place`.
pub(crate) async fn calm_result() -> FinalResult {
    let place = Place::new();
    let engine = place.engine().await;
    let run = engine
        .start(&place.plan(), Default::default())
        .await
        .expect("starts");
    let id = run.id.clone();
    run.wait().await.expect("ends");
    let result = final_result(&journal(&engine, &id).await);
    assert_eq!((result.citations.len(), place.n_calls()), (5, 7));
    result
}
