//! What will be done, before anything is done.

use std::path::{Path, PathBuf};

use gemicro_core::budget::Limits;
use gemicro_core::flow::Flow;
use gemicro_core::llm::{GEMINI, LlmConfig};
use gemicro_core::models::ModelTable;
use gemicro_core::research::{PromptSet, ResearchEngine, ResearchFlow, ResearchPlan, UseAs};
use gemicro_core::run::events::RunStarted;
use gemicro_event::{ErrorKind, Failure, Json, StreamId};
use gemicro_source::is_url;
use serde::Serialize;

use crate::request::{Backend, Request, ResearchRequest};

/// A checked plan; printing it starts nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(tag = "flow", rename_all = "snake_case")]
pub enum Plan {
    /// A research run.
    Research {
        /// Everything that deciding depends on.
        plan: ResearchPlan,
        /// What the run may use.
        limits: Limits,
    },
}

impl Plan {
    /// Resolves and checks a request. Reads nothing but whether the sources exist.
    ///
    /// # Errors
    /// `invalid_input` or `not_found`, with what to change.
    pub fn of(request: &Request) -> Result<Self, Failure> {
        match request {
            Request::Research(research) => Self::research(research),
        }
    }

    fn research(request: &ResearchRequest) -> Result<Self, Failure> {
        let mut notices = Vec::new();
        let engine = match &request.backend {
            Backend::Offline(techniques) => ResearchEngine::Offline {
                techniques: *techniques,
            },
            Backend::Model { llm, web } => ResearchEngine::Model {
                llm: current(llm, &mut notices),
                prompts: PromptSet::default(),
                web: *web,
            },
            Backend::Agent(llm) => ResearchEngine::Agent {
                llm: current(llm, &mut notices),
            },
        };
        // An agent stays an agent, whoever asks for it under which flag.
        let engine = match engine {
            ResearchEngine::Model { llm, .. } if ModelTable::embedded().is_agent(&llm.model) => {
                ResearchEngine::Agent { llm }
            }
            engine => engine,
        };
        let sources: Result<Vec<String>, Failure> = request.sources.iter().map(source).collect();
        let plan = ResearchPlan {
            question: request.question.trim().to_owned(),
            engine,
            sources: sources?,
            config: request.config.clone(),
            base: request.base.clone(),
            notices,
        };
        plan.check(&request.limits)?;
        Ok(Self::Research {
            plan,
            limits: request.limits,
        })
    }

    /// What was changed while the request became a plan; worth telling the user.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        match self {
            Self::Research { plan, .. } => &plan.notices,
        }
    }

    /// The run that this one goes on from.
    pub(crate) fn parent(&self) -> Option<StreamId> {
        match self {
            Self::Research { plan, .. } => plan.base.as_ref().map(|base| base.run.clone()),
        }
    }

    /// The first event of a run of this plan.
    pub(crate) fn started(&self, program: &str) -> RunStarted {
        match self {
            Self::Research { plan, limits } => {
                let (held_back, held_back_ms) = plan.held_back(limits);
                RunStarted {
                    flow: ResearchFlow.name().to_owned(),
                    flow_version: ResearchFlow.version(),
                    program: program.to_owned(),
                    title: plan.question.lines().next().unwrap_or_default().to_owned(),
                    plan: Json::of(plan).expect("a plan has string keys only"),
                    limits: *limits,
                    held_back,
                    held_back_ms,
                    resubmits: plan.base.as_ref().is_some_and(|base| base.use_as == UseAs::Retry),
                }
            }
        }
    }
}

/// The settings under the model's current name; a notice where that is another one.
fn current(llm: &LlmConfig, notices: &mut Vec<String>) -> LlmConfig {
    if llm.backend != GEMINI {
        return llm.clone();
    }
    let resolved = ModelTable::embedded().resolve(&llm.model);
    notices.extend(resolved.notice);
    LlmConfig {
        model: resolved.id,
        ..llm.clone()
    }
}

/// A source as it is kept: a web address as it is, a path made absolute.
fn source(named: &PathBuf) -> Result<String, Failure> {
    match named.to_str().filter(|text| is_url(text)) {
        Some(url) => Ok(url.to_owned()),
        None => absolute(named),
    }
}

/// A run may be resumed from another folder, so its sources are kept as absolute paths.
fn absolute(path: &PathBuf) -> Result<String, Failure> {
    let full = std::path::absolute(path)
        .map_err(|error| Failure::new(ErrorKind::InvalidInput, format!("{}: {error}", path.display())))?;
    if !exists(&full) {
        let message = format!("the source {} does not exist", path.display());
        return Err(Failure::new(ErrorKind::NotFound, message));
    }
    full.into_os_string().into_string().map_err(|_| {
        let message = format!("the path {} is not valid Unicode", path.display());
        Failure::new(ErrorKind::InvalidInput, message)
    })
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
