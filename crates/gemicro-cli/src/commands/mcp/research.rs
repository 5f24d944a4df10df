//! Turns the parameters of the research tool into a plan, with the settings of this machine.

use std::path::PathBuf;

use gemicro_core::budget::Limits;
use gemicro_core::research::ResearchConfig;
use gemicro_engine::{Plan, ResearchRequest, StartResearchParameters};
use gemicro_event::{ErrorKind, Failure};

use crate::backend;
use crate::command_error::CommandError;
use crate::commands::research::plan_request;
use crate::config::readers::parse_budget;
use crate::config::{Endpoints, ResearchFlags, ResearchSettings};
use crate::session::Context;

/// The plan of the run.
///
/// # Errors
/// When a parameter is wrong, or something that the backend needs is missing.
pub(crate) fn plan(ctx: &Context, parameters: StartResearchParameters) -> Result<Plan, Failure> {
    let question = parameters.question.clone();
    let flags = flags(parameters)?;
    resolve_plan(ctx, question, flags).map_err(CommandError::into_failure)
}

fn resolve_plan(ctx: &Context, question: String, flags: ResearchFlags) -> Result<Plan, CommandError> {
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, flags)?;
    let endpoints = Endpoints::resolve(&layers)?;
    let backend = backend::choose(&settings, &ctx.environment, &endpoints)?;
    plan_request(ResearchRequest {
        question,
        sources: settings.sources.value.clone(),
        backend,
        config: ResearchConfig {
            max_sub_queries: settings.max_queries.value,
            ..ResearchConfig::default()
        },
        limits: settings.limits()?,
        base: None,
    })
}

fn flags(parameters: StartResearchParameters) -> Result<ResearchFlags, Failure> {
    let wrong = |name: &str, why: String| Failure::new(ErrorKind::InvalidInput, format!("`{name}`: {why}"));
    let backend = parameters.backend.map(|backend| backend.parse()).transpose();
    let budget = parameters.budget.as_deref().map(parse_budget).transpose();
    let sources: Vec<PathBuf> = parameters.sources.into_iter().map(PathBuf::from).collect();
    Ok(ResearchFlags {
        sources: (!sources.is_empty()).then_some(sources),
        offline: parameters.offline.then_some(true),
        backend: backend.map_err(|why| wrong("backend", why))?,
        model: parameters.model.map(Some),
        web: parameters.web.map(Some),
        max_queries: parameters.max_queries.and_then(|n| usize::try_from(n).ok()),
        budget: budget.map_err(|why| wrong("budget", why))?,
        max_duration: parameters.max_seconds.map(|seconds| Limits {
            wall_ms: Some(u64::from(seconds) * 1_000),
            ..Limits::NONE
        }),
        ..ResearchFlags::default()
    })
}
