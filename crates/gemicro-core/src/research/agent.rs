//! Deep research as a library: a question in, a stream of facts out.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use gemicro_event::{AgentUpdate, Json};

use super::{
    PromptSet, ResearchConfig, ResearchEngine, ResearchExecutors, ResearchFlow, ResearchPlan, executors,
};
use crate::agent::{Agent, AgentContext, AgentError, run_beside};
use crate::budget::Limits;
use crate::flow::Flow;
use crate::llm::Backends;
use crate::run::events::RunStarted;

/// Splits a question, answers its parts in parallel and writes one cited answer.
///
/// Without a model in the context it answers from the sources alone; the example `research` of `gemicro-source` shows that.
///
/// ```
/// use std::sync::Arc;
///
/// use futures_util::StreamExt;
/// use gemicro_core::agent::{Agent, AgentContext};
/// use gemicro_core::llm::scripted::{Part, ScriptedModel};
/// use gemicro_core::research::{DeepResearchAgent, ResearchConfig};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
/// # runtime.block_on(async {
/// let agent = DeepResearchAgent::new(ResearchConfig { max_sub_queries: 2, ..ResearchConfig::default() });
/// // Any `LlmBackend` will do; this one is a stand-in for tests.
/// let llm = Arc::new(ScriptedModel::new(Part::Perfect));
/// let mut events = agent.execute("Why is the sky blue?", AgentContext { llm: Some(llm), ..Default::default() });
/// let mut kinds = Vec::new();
/// while let Some(event) = events.next().await {
///     kinds.push(event.expect("a fact").event_type);
/// }
/// assert_eq!(kinds.first().map(String::as_str), Some("run_started"));
/// assert_eq!(kinds.last().map(String::as_str), Some("final_result"));
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct DeepResearchAgent {
    config: ResearchConfig,
    sources: Vec<String>,
    limits: Limits,
    web: bool,
}

impl DeepResearchAgent {
    /// An agent with these settings.
    #[must_use]
    pub fn new(config: ResearchConfig) -> Self {
        Self {
            config,
            sources: Vec::new(),
            limits: Limits::default(),
            web: false,
        }
    }

    /// Lets the provider's web search answer what the sources do not.
    #[must_use]
    pub fn with_web(mut self) -> Self {
        self.web = true;
        self
    }

    /// Reads these folders and files; the context needs a library for it.
    #[must_use]
    pub fn with_sources(mut self, sources: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.sources = sources.into_iter().map(Into::into).collect();
        self
    }

    /// Keeps to these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn plan(&self, query: &str, ctx: &AgentContext) -> ResearchPlan {
        let engine = match &ctx.llm {
            Some(_) => ResearchEngine::Model {
                llm: ctx.config.llm.clone(),
                prompts: PromptSet::default(),
                web: self.web,
            },
            None => ResearchEngine::Offline {},
        };
        ResearchPlan {
            question: query.to_owned(),
            engine,
            sources: self.sources.clone(),
            config: ResearchConfig {
                approve_plan: false,
                ..self.config.clone()
            },
            base: None,
            notices: Vec::new(),
        }
    }
}

impl Agent for DeepResearchAgent {
    fn execute(&self, query: &str, ctx: AgentContext) -> BoxStream<'static, Result<AgentUpdate, AgentError>> {
        let plan = self.plan(query, &ctx);
        if let Err(failure) = plan.check(&self.limits) {
            return Box::pin(futures_util::stream::once(async {
                Err(AgentError::Refused(failure))
            }));
        }
        let (held_back, held_back_ms) = plan.held_back(&self.limits);
        let started = RunStarted {
            flow: ResearchFlow.name().to_owned(),
            flow_version: ResearchFlow.version(),
            program: concat!("gemicro-core ", env!("CARGO_PKG_VERSION")).to_owned(),
            title: query.trim().to_owned(),
            plan: Json::of(&plan).expect("a plan has string keys only"),
            limits: self.limits,
            held_back,
            held_back_ms,
            resident: false,
            credential_fingerprint: None,
            resubmits: false,
            part_of_parent: false,
            day: None,
        };
        let parts = ResearchExecutors {
            library: ctx.library.clone(),
            llm: match ctx.llm {
                Some(llm) => Backends::one(&ctx.config.llm.backend, llm),
                None => Backends::default(),
            },
        };
        run_beside(ctx.store, Arc::new(ResearchFlow), started, executors(parts))
    }

    fn name(&self) -> &str {
        "research"
    }

    fn description(&self) -> &str {
        "Splits a question, answers its parts in parallel and writes one cited answer"
    }
}
