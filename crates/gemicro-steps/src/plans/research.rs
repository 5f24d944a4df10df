//! Turns a request into a research plan.

use std::path::{Path, PathBuf};

use gemicro_core::models::ModelTable;
use gemicro_core::research::{PromptSet, ResearchEngine, ResearchPlan};
use gemicro_event::{ErrorKind, Failure};
use gemicro_source::is_url;

use super::checks::current;
use super::request::{Backend, ResearchRequest};

/// The research plan. Only checks whether the sources exist.
///
/// # Errors
/// `invalid_input` or `not_found`, with what to change.
pub fn research_plan(request: &ResearchRequest) -> Result<ResearchPlan, Failure> {
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
    // A research agent is always run as an agent, even if it was given as a model.
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
    Ok(plan)
}

/// A source in its stored form: a web address unchanged, a path made absolute.
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
