//! Plans of child runs of a batch.

use std::path::PathBuf;

use gemicro_batch::proposal::ProposalFlow;
use gemicro_batch::strategy::StrategyFlow;
use gemicro_batch::types::{PipelineEntry, PipelineParameters, ResearchParameters, RunInput, RunRequest};
use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::research::ResearchConfig;
use gemicro_event::{ErrorKind, Failure, Json};
use gemicro_pipeline::workflow::{PipelineMode, WorkflowReader};
use gemicro_source::is_url;
use gemicro_store::DurableStore;

use crate::plan::Plan;
use crate::plans::{
    Backend, PipelineRequest, Request, ResearchRequest, folder, proposal, refinement, strategy,
};

/// The plan of a child run, from the input of its step of kind `run`.
///
/// # Errors
/// `invalid_input` or `not_found`, with what to change.
pub async fn child_plan(
    store: &DurableStore,
    workflows: &WorkflowReader,
    input: &Json,
) -> Result<Plan, Failure> {
    let input: RunInput = input.parse().map_err(|error| {
        let message = format!("the input of a run step cannot be read: {error}");
        Failure::new(ErrorKind::Internal, message)
    })?;
    let limits = Limits {
        tokens: input.grant.tokens,
        micro_usd: input.grant.micro_usd,
        turns: input.grant.turns,
        wall_ms: None,
    };
    let (directory, llm) = (input.directory, input.llm);
    match input.request {
        RunRequest::Research(research) => self::research(research, &directory, llm, limits),
        RunRequest::Proposal(request) => {
            let plan = proposal(*request, &directory, &llm, &limits)?;
            Ok(Plan::new(&ProposalFlow, &plan, limits))
        }
        RunRequest::Refinement(request) => {
            let plan = refinement(store, request, &directory, &limits).await?;
            Ok(Plan::new(&ProposalFlow, &plan, limits))
        }
        RunRequest::Strategy(request) => {
            let plan = strategy(request, &directory, &llm, &limits)?;
            Ok(Plan::new(&StrategyFlow, &plan, limits))
        }
        RunRequest::Pipeline(request) => pipeline(workflows, request, &directory, limits),
    }
}

/// A coding task with the workflow of its project.
fn pipeline(
    workflows: &WorkflowReader,
    it: PipelineParameters,
    directory: &str,
    limits: Limits,
) -> Result<Plan, Failure> {
    Plan::of(&Request::Pipeline(Box::new(PipelineRequest {
        task: it.task,
        mode: match it.mode {
            Some(PipelineEntry::Bugfix) => PipelineMode::Bugfix,
            Some(PipelineEntry::Research) => PipelineMode::Research,
            Some(PipelineEntry::Direct) | None => PipelineMode::Direct,
        },
        directory: PathBuf::from(directory),
        branch: it.branch,
        workflow: workflows.read(directory.as_ref())?,
        agent: it.agent,
        model: it.model,
        remote: None,
        require_protection: false,
        push: it.push,
        limits,
    })))
}

fn research(
    research: ResearchParameters,
    directory: &str,
    llm: LlmConfig,
    limits: Limits,
) -> Result<Plan, Failure> {
    let backend = if research.offline {
        Backend::Offline
    } else {
        Backend::Model {
            llm,
            web: research.web,
        }
    };
    Plan::of(&Request::Research(Box::new(ResearchRequest {
        question: research.question,
        sources: inside(directory, research.sources)?,
        backend,
        config: ResearchConfig::default(),
        limits,
        base: None,
    })))
}

/// The sources with all links resolved; refuses those outside the folder.
fn inside(directory: &str, sources: Vec<String>) -> Result<Vec<PathBuf>, Failure> {
    let folder = folder(directory.as_ref())?;
    let resolve = |source: String| {
        if is_url(&source) {
            return Ok(PathBuf::from(source));
        }
        let real = std::fs::canonicalize(&source).map_err(|error| {
            let message = format!("the source {source} cannot be read: {error}");
            Failure::new(ErrorKind::NotFound, message)
        })?;
        match real.starts_with(&folder) {
            true => Ok(real),
            false => {
                let message =
                    format!("the source {source} leads out of {directory}, the folder of this batch");
                Err(Failure::new(ErrorKind::PermissionDenied, message))
            }
        }
    };
    sources.into_iter().map(resolve).collect()
}
