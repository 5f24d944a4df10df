//! Runs model calls as steps.

use futures_util::future::BoxFuture;
use gemicro_event::{Charge, ErrorKind, Failure, Json, StepKey, StreamId, Usage};

use super::backends::BackendAndGate;
use super::{Backends, GenerationEvent, LlmConfig, LlmFunction, LlmRequest, generate};
use crate::ask::AgentName;
use crate::budget::Purpose;
use crate::execute::{Executor, StepCall};
use crate::flow::{AttemptCost, RetryPolicy, Step, StepFailure, StepOutput};
use crate::tokens::{FRAMING_TOKENS, byte_bound};

/// The step kind of model calls.
pub const LLM_STEP: &str = "llm";

/// A model call as a step: its input is the whole request, its cost the proven worst case.
#[must_use]
pub fn llm_step(key: StepKey, request: &LlmRequest, purpose: Purpose, config: &LlmConfig) -> Step {
    Step {
        key,
        kind: LLM_STEP.to_owned(),
        cost: worst_case(request),
        input: Json::of(request).expect("a request has string keys only"),
        purpose,
        retry: RetryPolicy::attempts(config.max_attempts),
        timeout_ms: None,
    }
}

/// Maximum tokens that an agent CLI adds to one call: its instructions, its tools, further requests.
const AGENT_OVERHEAD: u64 = 250_000;

/// Maximum cost of a call: every byte counts as a token, and the whole output limit is used. For an agent, its overhead
/// is added, and the gateway enforces this maximum.
#[must_use]
pub fn worst_case(request: &LlmRequest) -> Charge {
    worst_case_with(request, 0)
}

/// Maximum cost of a call that reads up to `more_input` tokens besides the request.
pub(crate) fn worst_case_with(request: &LlmRequest, more_input: u64) -> Charge {
    let system = request.system.as_deref().map_or(0, byte_bound);
    cost_of_input(request, byte_bound(&request.prompt) + system + more_input)
}

/// Maximum cost of a call whose instructions and prompt have at most `texts` tokens.
fn cost_of_input(request: &LlmRequest, texts: u64) -> Charge {
    let schema = request
        .schema
        .as_ref()
        .map_or(0, |schema| byte_bound(schema.text()));
    let overhead = AgentName::of_backend(&request.backend).map_or(0, |_| AGENT_OVERHEAD);
    let functions: u64 = request.functions.iter().map(LlmFunction::token_bound).sum();
    let rounds = request.rounds.iter();
    let rounds: u64 = rounds
        .map(|round| round.token_bound(request.max_output_tokens))
        .sum();
    let input_tokens = texts + schema + functions + rounds + overhead;
    let usage = Usage {
        input_tokens,
        output_tokens: request.max_output_tokens,
        ..Usage::default()
    };
    request.charge(&usage)
}

/// Whether the provider may still work on a call that failed with this kind.
fn gives_up(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Cancelled | ErrorKind::Timeout | ErrorKind::IdleTimeout
    )
}

pub(crate) struct LlmExecutor {
    backends: Backends,
}

impl LlmExecutor {
    /// An executor over these backends.
    pub(crate) fn new(backends: Backends) -> Self {
        Self { backends }
    }
}

impl Executor for LlmExecutor {
    fn lower_cost(&self, _run: &StreamId, step: &Step, _attempt: u32) -> BoxFuture<'static, Option<Charge>> {
        let request = step.read_input::<LlmRequest>().ok();
        // A conversation that the provider remembers is not in the request.
        let request =
            request.filter(|request| request.previous.is_none() && step.cost == worst_case(request));
        let backends = self.backends.clone();
        Box::pin(async move {
            let request = request?;
            let BackendAndGate { backend, .. } = backends.get(&request.backend).ok()?;
            let counted = backend.count_input(&request).await?;
            Some(cost_of_input(&request, counted.saturating_add(FRAMING_TOKENS)))
        })
    }

    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let backends = self.backends.clone();
        Box::pin(async move {
            let request: LlmRequest = call.step.read_input()?;
            let BackendAndGate { backend, gate } =
                backends.get(&request.backend).map_err(StepFailure::free)?;
            let mut known = call.handle.clone();
            let answer = generate(backend.as_ref(), &request, call.handle, |heard| match heard {
                GenerationEvent::Text(text) => call.live.push(text),
                GenerationEvent::Handle(handle) => {
                    known = Some(handle.clone());
                    call.reporter.handle(handle);
                }
                GenerationEvent::Alarm(message) => call.reporter.alarm(message),
            });
            let answer = async {
                let _pass = gate.enter().await?;
                let answered = answer.await;
                gate.note(answered.as_ref().map(|_| ()).map_err(|failed| &failed.failure));
                answered
            };
            let answered = tokio::select! {
                biased;
                answered = answer => answered,
                () = call.cancel.cancelled() => {
                    let failure = Failure::new(ErrorKind::Cancelled, "the model call was stopped");
                    Err(StepFailure::new(failure, AttemptCost::Unknown))
                }
            };
            let response = match answered {
                Ok(response) => response,
                Err(failed) => {
                    if let Some(handle) = known.filter(|_| gives_up(failed.failure.kind)) {
                        backend.cancel(handle).await;
                    }
                    return Err(failed);
                }
            };
            let output = Json::of(&response)
                .map_err(|error| StepFailure::free(Failure::new(ErrorKind::Internal, error.to_string())))?;
            let charge = request.charge(&response.usage);
            Ok(StepOutput {
                output,
                charge,
                usage: Some(response.usage),
            })
        })
    }
}
