//! Turns a request into the plan of a task for an agent.

use std::time::Duration;

use gemicro_core::ask::{AgentName, AgentTask, AskPlan, SandboxMode, TaskGrant, route};
use gemicro_core::flow::check_price;
use gemicro_core::llm::AGENTS_OWN_MODEL;
use gemicro_event::{ErrorKind, Failure};

use super::checks::{folder, task_branch};
use super::request::AskRequest;

/// The plan of a task for an agent.
///
/// # Errors
/// `invalid_input` or `not_found`, with what to change.
pub fn ask_plan(request: &AskRequest) -> Result<AskPlan, Failure> {
    let wrong = |message: &str| Failure::new(ErrorKind::InvalidInput, message);
    if request.prompt.trim().is_empty() {
        return Err(wrong("the prompt is empty"));
    }
    if request.idle.is_zero() || request.total.is_zero() {
        return Err(wrong("the time limit must be greater than 0"));
    }
    let route = route(request.agent, request.model.as_deref())?;
    check_price(
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
        grant: TaskGrant::default(),
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
    Ok(AskPlan {
        fallback,
        task,
        max_attempts: request.max_retries.saturating_add(1),
        notices,
        conversation: request.turn.as_ref().map(|turn| turn.conversation.clone()),
    })
}

/// The full name of the requested branch.
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

/// The task of the fallback agent, which is given by agent or model name.
fn fallback(named: &str, task: &AgentTask, notices: &mut Vec<String>) -> Result<AgentTask, Failure> {
    let agent = AgentName::ALL
        .into_iter()
        .find(|agent| agent.as_str() == named.trim());
    let route = match agent {
        Some(agent) => route(Some(agent), None)?,
        None => route(None, Some(named))?,
    };
    if route.agent == task.agent && route.model == task.model {
        let message =
            format!("{named} is already the first choice: use another agent or model as the fallback");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    notices.extend(route.notice);
    let is_same = route.agent == task.agent;
    Ok(AgentTask {
        agent: route.agent,
        model: route.model,
        // It continues a session of the same agent; that of another agent is only recalled.
        session: task.session.clone().filter(|_| is_same),
        recalls: task.session.clone().filter(|_| !is_same),
        fails_over: false,
        ..task.clone()
    })
}
