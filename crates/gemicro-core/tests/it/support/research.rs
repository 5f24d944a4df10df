//! Research runs over a scripted model and a small library.

use std::sync::Arc;

use gemicro_core::budget::Limits;
use gemicro_core::drive::{DriveContext, DriveEnd, DriveError, begin, drive, resume};
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::llm::{Backends, LlmBackend, LlmConfig};
use gemicro_core::research::events::{FinalResult, ResearchReaders};
use gemicro_core::research::{
    PromptSet, ResearchConfig, ResearchEngine, ResearchExecutors, ResearchFlow, ResearchPlan, executors,
};
use gemicro_core::run::events::RunStarted;
use gemicro_event::{Event, Json, StreamId};

use super::{MemoryLibrary, ProbeStore, context, started};

/// A research run about to be made.
#[derive(Clone)]
pub(crate) struct ResearchSetup {
    pub(crate) plan: ResearchPlan,
    pub(crate) limits: Limits,
    pub(crate) library: Arc<MemoryLibrary>,
    pub(crate) model: Arc<dyn LlmBackend>,
    /// One makes the order of events the same for every run.
    pub(crate) max_parallel: usize,
}

/// Five short documents, one crossing each; sub-query `n` of the scripted model finds document `n` first.
pub(crate) fn documents() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "bridge.md",
            "Crossing 1 is the Lantern Bridge, opened in 1931. It carries the night trams.",
        ),
        (
            "ferry.md",
            "Crossing 2 is the ferry that runs every 20 minutes. It stops when the ice comes.",
        ),
        (
            "tunnel.md",
            "Crossing 3 is the tunnel with 870 metres. It was dug by hand.",
        ),
        (
            "ford.md",
            "Crossing 4 is the ford, passable from May to September. Cattle use it.",
        ),
        (
            "cable.md",
            "Crossing 5 is the cable car for 40 people. It is closed in storms.",
        ),
    ]
}

impl ResearchSetup {
    /// A five-branch question over the documents, answered by a scripted model.
    pub(crate) fn new(part: Part) -> Self {
        Self::with_model(Arc::new(ScriptedModel::new(part)))
    }

    pub(crate) fn with_model(model: Arc<dyn LlmBackend>) -> Self {
        let llm = LlmConfig {
            model: "gemini-3.8-flash".to_owned(),
            max_attempts: 2,
            ..LlmConfig::default()
        };
        Self {
            plan: ResearchPlan {
                question: "Which crossing is the best?".to_owned(),
                engine: ResearchEngine::Model {
                    llm,
                    prompts: PromptSet::default(),
                    web: false,
                },
                sources: vec!["/docs".to_owned()],
                config: ResearchConfig::default(),
                base: None,
                notices: Vec::new(),
            },
            limits: Limits::default(),
            library: MemoryLibrary::new(&documents()),
            model,
            max_parallel: 8,
        }
    }

    pub(crate) fn without_sources(mut self) -> Self {
        self.plan.sources.clear();
        self
    }

    pub(crate) fn offline(mut self, question: &str) -> Self {
        self.plan.question = question.to_owned();
        self.plan.engine = ResearchEngine::Offline {};
        self
    }

    pub(crate) fn edit_llm(mut self, edit: impl FnOnce(&mut LlmConfig)) -> Self {
        if let ResearchEngine::Model { llm, .. } = &mut self.plan.engine {
            edit(llm);
        }
        self
    }

    pub(crate) fn context(&self, store: &Arc<ProbeStore>) -> DriveContext {
        let parts = ResearchExecutors {
            library: Some(self.library.clone()),
            llm: Backends::one("gemini", self.model.clone()),
        };
        let mut ctx = context(store, executors(parts));
        ctx.options.max_parallel = self.max_parallel;
        ctx
    }

    pub(crate) fn started(&self) -> RunStarted {
        let (held_back, held_back_ms) = self.plan.held_back(&self.limits);
        RunStarted {
            title: self.plan.question.clone(),
            plan: Json::of(&self.plan).expect("a plan is JSON"),
            limits: self.limits,
            held_back,
            held_back_ms,
            ..started(&ResearchFlow)
        }
    }

    /// Begins the run and drives it; the journal is in the store.
    pub(crate) async fn run(&self, store: &Arc<ProbeStore>) -> (StreamId, Result<DriveEnd, DriveError>) {
        let ctx = self.context(store);
        let id = StreamId::random();
        let ended = match begin(&ctx, &id, None, &self.started()).await {
            Ok(lease) => drive(&ctx, &ResearchFlow, lease).await,
            Err(error) => Err(error),
        };
        (id, ended)
    }

    /// The journal of an undisturbed run.
    pub(crate) async fn events(&self) -> Vec<Event> {
        let store = ProbeStore::new();
        let (id, ended) = self.run(&store).await;
        ended.expect("an undisturbed run ends");
        super::journal(&store, &id).await
    }

    /// Picks a run up in a fresh driver.
    pub(crate) async fn resume(
        &self,
        store: &Arc<ProbeStore>,
        run: &StreamId,
    ) -> Result<DriveEnd, DriveError> {
        let ctx = self.context(store);
        let lease = resume(&ctx, &ResearchFlow, run).await?;
        drive(&ctx, &ResearchFlow, lease).await
    }
}

/// The result of a run that ended with one.
pub(crate) fn final_result(events: &[Event]) -> Option<FinalResult> {
    super::terminal(events).update.as_final_result()
}
