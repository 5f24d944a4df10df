//! An agent CLI that answers prompts like a model: [`AgentTextBackend`].
//!
//! A call becomes a task in an empty folder, in the read-only sandbox. The prompt goes through stdin, and requests to
//! the model go through the gateway, which limits the call to its reservation. No session is kept. There are no retries
//! here: an interrupted call cannot be picked up.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_core::ask::{
    AGENT_TEXT_STEP, AgentAnswer, AgentName, AgentTask, SandboxMode, TaskGrant, agent_step,
};
use gemicro_core::budget::Purpose;
use gemicro_core::execute::{AttemptMessage, AttemptNotice, Executor, RunAnswers, StepCall, StepReporter};
use gemicro_core::flow::{AttemptCost, Step, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::llm::{
    AGENTS_OWN_MODEL, Backends, FinishReason, GateConfig, LlmBackend, LlmChunk, LlmEnd, LlmRequest,
    worst_case,
};
use gemicro_event::{ErrorKind, Failure, Json, StepKey, StreamId};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::setup::AgentSetup;

/// The start of every prompt.
const PREFACE: &str = include_str!("../../../prompts/research/agent.md");
/// Maximum number of concurrent agents, over all runs of a process.
pub const MAX_AGENTS: usize = 8;
/// Interval of `Alive` chunks during a call. The agent's own silence is watched by its runner.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Maximum number of model requests per answer: one is needed, and some agents route and check with more.
const MAX_REQUESTS: u64 = 16;

/// Answers prompts by starting an agent CLI for each.
pub(crate) struct AgentTextBackend {
    agent: AgentName,
    executor: Arc<dyn Executor>,
    /// Parent of the empty folders.
    temporary: PathBuf,
}

/// Adds every agent as a backend that answers prompts.
pub fn with_agents(llm: Backends, setup: &AgentSetup, executor: &Arc<dyn Executor>) -> Backends {
    let temporary = setup.environment.get("TMPDIR").map_or("/tmp", String::as_str);
    AgentName::ALL.into_iter().fold(llm, |llm, agent| {
        let backend = AgentTextBackend {
            agent,
            executor: executor.clone(),
            temporary: PathBuf::from(temporary),
        };
        let limits = llm.limits(agent.backend()).unwrap_or(GateConfig {
            max_concurrent: MAX_AGENTS,
            ..GateConfig::default()
        });
        llm.with(agent.backend(), Arc::new(backend), limits)
    })
}

impl LlmBackend for AgentTextBackend {
    fn name(&self) -> &str {
        self.agent.backend()
    }

    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let (agent, executor, temporary) = (self.agent, self.executor.clone(), self.temporary.clone());
        Box::pin(stream! {
            let folder = match EmptyFolder::new(&temporary) {
                Ok(folder) => folder,
                Err(failure) => {
                    yield Err(StepFailure::free(failure));
                    return;
                }
            };
            let cancel = CancellationToken::new();
            let _stop = cancel.clone().drop_guard();
            let (reporter, mut messages) = StepReporter::channel();
            let call = StepCall {
                run: StreamId::random(),
                step: step(agent, &request, &folder),
                attempt: 1,
                handle,
                reporter,
                cancel,
                live: LiveHub::new().writer(&key(), 1),
                answers: RunAnswers::channel().1,
            };
            // A separate task also ends the agent when this stream is dropped.
            let mut work = tokio::spawn(async move {
                let result = executor.execute(call).await;
                drop(folder);
                result
            });
            let mut ticks = tokio::time::interval(SIGN_OF_LIFE);
            let ended = loop {
                let news = tokio::select! {
                    biased;
                    Some(spoken) = messages.recv() => AgentNews::Said(spoken),
                    ended = &mut work => AgentNews::Ended(ended),
                    _ = ticks.tick() => AgentNews::Nothing,
                };
                match news {
                    AgentNews::Ended(ended) => break ended,
                    AgentNews::Nothing => yield Ok(LlmChunk::Alive),
                    AgentNews::Said(AttemptNotice { message, noted }) => {
                        match message {
                            AttemptMessage::Handle(handle) => yield Ok(LlmChunk::Handle(handle)),
                            AttemptMessage::Alarm(message) => yield Ok(LlmChunk::Alarm(message)),
                            AttemptMessage::Fact(_) => {}
                        }
                        if let Some(noted) = noted {
                            let _ = noted.send(());
                        }
                    }
                }
            };
            match answer(ended) {
                Ok((text, end)) => {
                    yield Ok(LlmChunk::Text(text));
                    yield Ok(LlmChunk::End(end));
                }
                Err(failed) => yield Err(failed),
            }
        })
    }
}

/// An event while an agent works.
enum AgentNews {
    Said(AttemptNotice),
    Ended(Result<Result<StepOutput, StepFailure>, JoinError>),
    Nothing,
}

fn key() -> StepKey {
    StepKey::new("text")
}

fn step(agent: AgentName, request: &LlmRequest, folder: &EmptyFolder) -> Step {
    let prompt = prompt(request);
    let task = AgentTask {
        agent,
        model: Some(request.model.clone()).filter(|model| model != AGENTS_OWN_MODEL),
        prompt: request.label.clone(),
        directory: folder.path.display().to_string(),
        sandbox: SandboxMode::ReadOnly,
        yolo: false,
        session: None,
        idle_ms: request.time.idle_ms,
        total_ms: request.time.total_ms,
        grant: TaskGrant {
            tokens: Some(worst_case(request).tokens),
            turns: Some(MAX_REQUESTS),
            ..TaskGrant::default()
        },
        recalls: None,
        fails_over: false,
        keep_messages: false,
        begins_anew: false,
        branch: None,
        // Not a user's prompt: the CLI must not interpret commands or file names in passages of documents.
        retold: Some(prompt),
        asks: false,
    };
    Step {
        kind: AGENT_TEXT_STEP.to_owned(),
        ..agent_step(key(), &task, Purpose::Ordinary, 1)
    }
}

/// The whole request as one text.
fn prompt(request: &LlmRequest) -> String {
    let system = request.system.as_deref().unwrap_or_default();
    let shape = request.schema.as_ref().map(|schema| {
        format!(
            "Answer with one JSON object that fits this JSON Schema, and nothing else:\n{}",
            schema.text()
        )
    });
    let parts = [
        PREFACE,
        system,
        &request.prompt,
        shape.as_deref().unwrap_or_default(),
    ];
    let parts: Vec<&str> = parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n")
}

fn answer(
    ended: Result<Result<StepOutput, StepFailure>, JoinError>,
) -> Result<(String, LlmEnd), StepFailure> {
    let lost =
        |message: String| StepFailure::new(Failure::new(ErrorKind::Internal, message), AttemptCost::Unknown);
    let output = ended.map_err(|_| lost("the call of the agent panicked".to_owned()))??;
    let answer: AgentAnswer = output
        .output
        .parse()
        .map_err(|error| lost(format!("the answer of the agent cannot be read: {error}")))?;
    let end = LlmEnd {
        finish: FinishReason::Stop,
        usage: answer.usage,
        interaction_id: None,
        annotations: Vec::new(),
        calls: Vec::new(),
    };
    Ok((answer.text, end))
}

/// A folder without files, removed at the end of a call.
struct EmptyFolder {
    path: PathBuf,
}

impl EmptyFolder {
    fn new(parent: &Path) -> Result<Self, Failure> {
        let path = parent.join(format!("gemicro-{}", StreamId::random()));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Ok(Self { path }),
            Err(error) => {
                let message = format!(
                    "cannot create {}, the empty folder that an agent answers in: {error}",
                    path.display()
                );
                Err(Failure::new(ErrorKind::StorageError, message))
            }
        }
    }
}

impl Drop for EmptyFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir(&self.path) {
            tracing::debug!(%error, folder = %self.path.display(), "the folder of an agent stays");
        }
    }
}
