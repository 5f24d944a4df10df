//! What will be done, before anything is done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_batch::flow::BatchPlan;
use gemicro_batch::ooda::OodaPlan;
use gemicro_batch::proposal::ProposalPlan;
use gemicro_batch::strategy::StrategyPlan;
use gemicro_core::ask::{AgentName, AgentTask, AskPlan, Grant, SandboxMode, route};
use gemicro_core::budget::Limits;
use gemicro_core::llm::{AGENTS_OWN_MODEL, GEMINI, LlmConfig};
use gemicro_core::models::{ModelTable, check_gemini_model, check_model_name};
use gemicro_core::prompt::ModelTask;
use gemicro_core::research::{PromptSet, ResearchEngine, ResearchPlan};
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_guard::repository::{RepositoryError, Slug};
use gemicro_pipeline::plan::PipelinePlan;
use gemicro_source::is_url;
use serde::{Deserialize, Serialize};

use crate::plan_limits::priced;
use crate::request::{AskRequest, Backend, PromptRequest, Request, ResearchRequest};
use crate::written_plan::WrittenPlan;

/// A checked plan; printing it starts nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(tag = "flow", rename_all = "snake_case", try_from = "WrittenPlan")]
pub enum Plan {
    /// A research run.
    Research {
        /// Everything that deciding depends on.
        plan: Box<ResearchPlan>,
        /// What the run may use.
        limits: Limits,
    },
    /// A prompt for a coding agent.
    Ask {
        /// Everything that deciding depends on.
        plan: Box<AskPlan>,
        /// What the run may use.
        limits: Limits,
    },
    /// A question to a model.
    Prompt {
        /// Everything that deciding depends on.
        plan: Box<ModelTask>,
        /// What the run may use.
        limits: Limits,
    },
    /// Tasks that were handed in together.
    Batch {
        /// Everything that deciding depends on.
        plan: Box<BatchPlan>,
        /// What the run may use.
        limits: Limits,
    },
    /// A test for uncovered code.
    TestProposal {
        /// Everything that deciding depends on.
        plan: Box<ProposalPlan>,
        /// What the run may use.
        limits: Limits,
    },
    /// The gaps of a project's tests, ranked.
    Strategy {
        /// Everything that deciding depends on.
        plan: Box<StrategyPlan>,
        /// What the run may use.
        limits: Limits,
    },
    /// A loop that closes such gaps.
    Ooda {
        /// Everything that deciding depends on.
        plan: Box<OodaPlan>,
        /// What the run may use.
        limits: Limits,
    },
    /// A coding pipeline.
    Pipeline {
        /// Everything that deciding depends on.
        plan: Box<PipelinePlan>,
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
            Request::Ask(ask) => Self::ask(ask),
            Request::Prompt(prompt) => Self::prompt(prompt),
            Request::Ooda(ooda) => Self::ooda(ooda),
            Request::Pipeline(pipeline) => Self::pipeline(pipeline),
        }
    }

    fn ask(request: &AskRequest) -> Result<Self, Failure> {
        let wrong = |message: &str| Failure::new(ErrorKind::InvalidInput, message);
        if request.prompt.trim().is_empty() {
            return Err(wrong("the prompt is empty"));
        }
        if request.idle.is_zero() || request.total.is_zero() {
            return Err(wrong("a time limit of nothing leaves no time to answer"));
        }
        let route = route(request.agent, request.model.as_deref())?;
        priced(
            route.model.as_deref().unwrap_or(AGENTS_OWN_MODEL),
            &request.limits,
        )?;
        let directory = folder(&request.directory)?;
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let task = AgentTask {
            agent: route.agent,
            model: route.model,
            prompt: request.prompt.clone(),
            directory,
            sandbox: request.sandbox,
            yolo: request.yolo,
            session: request.session.clone(),
            idle_ms: millis(request.idle),
            total_ms: millis(request.total),
            grant: Grant::default(),
            recalls: None,
            fails_over: request.fallback.is_some(),
            keep_messages: request.keep_messages,
            branch: branch(request)?,
            retold: request.turn.as_ref().and_then(|turn| turn.retold.clone()),
            asks: request.turn.as_ref().is_some_and(|turn| turn.asks),
            begins_anew: false,
        };
        let mut notices: Vec<String> = route.notice.into_iter().collect();
        let fallback = match &request.fallback {
            Some(named) => Some(fallback(named, &task, &mut notices)?),
            None => None,
        };
        Ok(Self::Ask {
            plan: Box::new(AskPlan {
                fallback,
                task,
                max_attempts: request.max_retries.saturating_add(1),
                notices,
                conversation: request.turn.as_ref().map(|turn| turn.conversation.clone()),
            }),
            limits: request.limits,
        })
    }

    fn prompt(request: &PromptRequest) -> Result<Self, Failure> {
        if request.prompt.trim().is_empty() {
            return Err(Failure::new(ErrorKind::InvalidInput, "the prompt is empty"));
        }
        let mut notices = Vec::new();
        let llm = current(&request.llm, &mut notices)?;
        priced(&llm.model, &request.limits)?;
        Ok(Self::Prompt {
            plan: Box::new(ModelTask {
                title: request.title.clone(),
                llm,
                label: request.label.clone(),
                prompt: request.prompt.clone(),
                earlier: request.earlier.clone(),
                conversation: request.conversation.clone(),
                notices,
            }),
            limits: request.limits,
        })
    }

    fn research(request: &ResearchRequest) -> Result<Self, Failure> {
        let mut notices = Vec::new();
        let engine = match &request.backend {
            Backend::Offline => ResearchEngine::Offline {},
            Backend::Model { llm, web } => ResearchEngine::Model {
                llm: current(llm, &mut notices)?,
                prompts: PromptSet::default(),
                web: *web,
            },
            Backend::Agent(llm) => ResearchEngine::Agent {
                llm: current(llm, &mut notices)?,
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
            plan: Box::new(plan),
            limits: request.limits,
        })
    }

    /// What was changed while the request became a plan; worth telling the user.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        match self {
            Self::Research { plan, .. } => &plan.notices,
            Self::Ask { plan, .. } => &plan.notices,
            Self::Prompt { plan, .. } => &plan.notices,
            Self::Ooda { plan, .. } => &plan.notices,
            Self::Pipeline { plan, .. } => &plan.notices,
            Self::Batch { .. } | Self::TestProposal { .. } | Self::Strategy { .. } => &[],
        }
    }

    /// The run that this one goes on from.
    pub(crate) fn parent(&self) -> Option<StreamId> {
        match self {
            Self::Research { plan, .. } => plan.base.as_ref().map(|base| base.run.clone()),
            Self::Ask { plan, .. } => plan.conversation.clone(),
            Self::Prompt { plan, .. } => plan.conversation.clone(),
            Self::Batch { plan, .. } => plan.retries.clone(),
            Self::Pipeline { plan, .. } => plan.earlier.as_ref().map(|earlier| earlier.run.clone()),
            Self::TestProposal { .. } | Self::Strategy { .. } | Self::Ooda { .. } => None,
        }
    }
}

/// The whole name of the branch that is asked for.
fn branch(request: &AskRequest) -> Result<Option<String>, Failure> {
    let Some(named) = &request.branch else {
        return Ok(None);
    };
    if request.sandbox == SandboxMode::DangerFullAccess {
        let message = "without a sandbox nothing keeps an agent on its branch: leave out the branch, or keep the sandbox";
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    task_branch(named).map(Some)
}

/// The whole name of a branch for agents.
pub(crate) fn task_branch(named: &str) -> Result<String, Failure> {
    if !named.starts_with("task/") {
        let message = format!("an agent works on branches that begin with task/: use task/{named}");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let slug: Slug = named
        .parse()
        .map_err(|error: RepositoryError| Failure::new(ErrorKind::InvalidInput, error.to_string()))?;
    Ok(slug.branch())
}

/// The task of the agent that takes over, named by itself or by a model.
fn fallback(named: &str, task: &AgentTask, notices: &mut Vec<String>) -> Result<AgentTask, Failure> {
    let agent = AgentName::ALL
        .into_iter()
        .find(|agent| agent.as_str() == named.trim());
    let route = match agent {
        Some(agent) => route(Some(agent), None)?,
        None => route(None, Some(named))?,
    };
    if route.agent == task.agent && route.model == task.model {
        let message = format!("{named} is who is asked first: name another agent or model to take over");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    notices.extend(route.notice);
    let is_same = route.agent == task.agent;
    Ok(AgentTask {
        agent: route.agent,
        model: route.model,
        // A session of its own agent it goes on with, one of another it is told about.
        session: task.session.clone().filter(|_| is_same),
        recalls: task.session.clone().filter(|_| !is_same),
        fails_over: false,
        ..task.clone()
    })
}

/// The settings under the model's current name; a notice where that is another one.
///
/// # Errors
/// `invalid_input` for a name that looks like a key, or that is of another provider.
pub(crate) fn current(llm: &LlmConfig, notices: &mut Vec<String>) -> Result<LlmConfig, Failure> {
    check_model_name(&llm.model)?;
    if llm.backend != GEMINI {
        return Ok(llm.clone());
    }
    check_gemini_model(&llm.model)?;
    let resolved = ModelTable::embedded().resolve(&llm.model);
    notices.extend(resolved.notice);
    Ok(LlmConfig {
        model: resolved.id,
        ..llm.clone()
    })
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

/// A folder to work in, with every link resolved: the sandbox opens exactly this one.
pub(crate) fn folder(path: &Path) -> Result<String, Failure> {
    let named = path.display();
    let full = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::new(ErrorKind::NotFound, format!("the folder {named} does not exist"))
        }
        _ => Failure::new(ErrorKind::InvalidInput, format!("{named}: {error}")),
    })?;
    if !full.is_dir() {
        let message = format!("{named} is not a folder");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    full.into_os_string().into_string().map_err(|_| {
        let message = format!("the path {named} is not valid Unicode");
        Failure::new(ErrorKind::InvalidInput, message)
    })
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
