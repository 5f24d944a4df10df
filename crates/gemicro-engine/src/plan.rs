//! What will be done, before anything is done.

use std::path::{Path, PathBuf};

use gemicro_core::budget::Limits;
use gemicro_core::flow::Flow;
use gemicro_core::research::{PromptSet, ResearchEngine, ResearchFlow, ResearchPlan};
use gemicro_core::run::events::RunStarted;
use gemicro_event::{ErrorKind, Failure, Json};
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
        let engine = match &request.backend {
            Backend::Offline(techniques) => ResearchEngine::Offline {
                techniques: *techniques,
            },
            Backend::Model(llm) => ResearchEngine::Model {
                llm: llm.clone(),
                prompts: PromptSet::default(),
            },
        };
        let sources: Result<Vec<String>, Failure> = request.sources.iter().map(absolute).collect();
        let plan = ResearchPlan {
            question: request.question.trim().to_owned(),
            engine,
            sources: sources?,
            config: request.config.clone(),
        };
        plan.check(&request.limits)?;
        Ok(Self::Research {
            plan,
            limits: request.limits,
        })
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
                    resubmits: false,
                }
            }
        }
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
