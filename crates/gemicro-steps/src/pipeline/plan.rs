//! Turns a request into the plan of a pipeline.

use std::path::Path;

use gemicro_core::ask::{AgentName, route};
use gemicro_core::flow::check_price;
use gemicro_core::llm::AGENTS_OWN_MODEL;
use gemicro_core::models::check_model_name;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_pipeline::documents::Feature;
use gemicro_pipeline::evidence::find_masked_exit;
use gemicro_pipeline::plan::PipelinePlan;
use gemicro_pipeline::workflow::{PipelineMode, Workflow, check_for};

use super::detect::found_checks;
use crate::plans::{PipelineRequest, folder, task_branch};

/// Maximum length of a task in bytes: it is part of every prompt.
const MOST_TASK: usize = 128 * 1024;

/// The plan of a task for a pipeline.
///
/// # Errors
/// `invalid_input` or `not_found`, with what to change.
pub fn pipeline_plan(request: &PipelineRequest) -> Result<PipelinePlan, Failure> {
    let task = request.task.trim();
    if task.is_empty() {
        return wrong("the task is empty: say what is to be done");
    }
    if task.len() > MOST_TASK {
        return wrong(&format!(
            "the task has {} bytes, but at most {MOST_TASK} fit into a prompt: put the rest into a file of the repository and name that file",
            task.len()
        ));
    }
    if task.contains('\0') {
        return wrong("the task has a zero byte in it");
    }
    let directory = folder(&request.directory)?;
    let route = route(request.agent, request.model.as_deref())?;
    let mut notices: Vec<String> = route.notice.into_iter().collect();
    let workflow = with_checks(request.workflow.clone(), Path::new(&directory), &mut notices)?;
    able(&workflow, request.mode, route.agent)?;
    let roles = workflow.roles_of(request.mode);
    for role in roles.iter().filter_map(|name| workflow.roles.get(*name)) {
        if let Some(model) = &role.model {
            check_model_name(model)?;
        }
        // The model of the request only applies to its own agent.
        let others = role.agent.is_some_and(|agent| agent != route.agent);
        let of_request = route.model.as_ref().filter(|_| !others);
        let model = role.model.as_ref().or(of_request);
        check_price(model.map_or(AGENTS_OWN_MODEL, String::as_str), &request.limits)?;
    }
    let feature = Feature::from_task(task);
    let branch = match &request.branch {
        Some(named) => task_branch(named)?,
        None => task_branch(&format!("task/{feature}"))?,
    };
    Ok(PipelinePlan {
        directory,
        task: task.to_owned(),
        mode: request.mode,
        feature,
        branch,
        exact_branch: request.branch.is_some(),
        workflow,
        agent: route.agent,
        model: route.model,
        remote: request.remote.clone(),
        require_protection: request.require_protection,
        push: request.push,
        seed: seed(),
        earlier: None,
        notices,
    })
}

/// A random value that agents cannot guess.
pub(super) fn seed() -> String {
    format!("{}:{}", StreamId::random(), StreamId::random())
}

/// The workflow with its own checks, or with those detected in the project.
pub(crate) fn with_checks(
    mut workflow: Workflow,
    directory: &Path,
    notices: &mut Vec<String>,
) -> Result<Workflow, Failure> {
    if workflow.checks.is_empty() {
        workflow.checks = found_checks(directory);
        for check in &workflow.checks {
            notices.push(format!(
                "the workflow has no checks; found here: {}",
                check.command
            ));
        }
    }
    for check in &workflow.checks {
        if let Some(masked) = find_masked_exit(&check.command) {
            return wrong(&format!("the check `{}` proves nothing: {masked}", check.name));
        }
    }
    Ok(workflow)
}

/// Checks that the agents have the tools that their roles need.
fn able(workflow: &Workflow, mode: PipelineMode, agent: AgentName) -> Result<(), Failure> {
    let working = workflow.roles_of(mode);
    let mut missing = check_for(workflow, agent).into_iter();
    match missing.find(|missing| working.contains(missing.role.as_str())) {
        None => Ok(()),
        Some(missing) => wrong(&missing.to_string()),
    }
}

fn wrong<T>(message: &str) -> Result<T, Failure> {
    Err(Failure::new(ErrorKind::InvalidInput, message))
}
