//! Turns the events of one call into chunks, across all its streams.

use std::collections::{BTreeMap, HashSet};

use gemicro_core::flow::StepFailure;
use gemicro_core::llm::{Annotation, FunctionCall, LlmChunk, LlmEnd, LlmRequest};
use gemicro_event::text::excerpt;
use gemicro_event::{Json, Usage};
use serde_json::json;

use super::answer::GeminiAnswer;
use super::end::{CallEnding, CallVerdict};
use super::interaction::{
    Interaction, InteractionBlock, InteractionDelta, InteractionEvent, InteractionProblem, InteractionStatus,
    InteractionStep, StreamHappening,
};
use super::trouble::{GeminiTrouble, RequestSubject};
use super::whole_text::{all_runs, function_calls, last_run, problems};
use crate::http::ANSWER_BYTES;

/// An item of a call's output.
pub(super) type GeminiChunk = Result<LlmChunk, StepFailure>;

/// Maximum number of alarms about unknown kinds.
const MOST_ALARMS: usize = 20;

/// The effect of one event.
#[derive(Debug)]
pub(super) enum EventEffect {
    /// More events will come.
    Open(Vec<GeminiChunk>),
    /// The call has ended.
    Ended(Vec<GeminiChunk>),
    /// The stream ended, but the interaction did not.
    Unsettled,
}

/// The state of a call, from the events received so far.
pub(super) struct GeminiListener {
    host: String,
    model: String,
    answer: GeminiAnswer,
    /// Whether the request offers functions.
    may_call: bool,
    /// Function calls, by the index of their step.
    calls: BTreeMap<usize, FunctionCall>,
    id: Option<String>,
    last_event: Option<String>,
    usage: Option<Usage>,
    problems: Vec<InteractionProblem>,
    alarms: HashSet<String>,
    voice: AnswerChannel,
}

/// The kind of server, judged by its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerChannel {
    Silent,
    /// Only events that this API does not have.
    Foreign,
    Gemini,
}

/// The handle of an interaction. An id means something only at the host that gave it.
pub(super) fn handle_of(id: &str, host: &str) -> Json {
    Json::from(json!({ "interaction": id, "host": host }))
}

impl GeminiListener {
    /// A listener for a new call, or for the interaction of a resumed one.
    pub(super) fn new(host: &str, request: &LlmRequest, id: Option<String>) -> Self {
        Self {
            host: host.to_owned(),
            model: request.model.clone(),
            answer: GeminiAnswer::default(),
            may_call: !request.functions.is_empty(),
            calls: BTreeMap::new(),
            id,
            last_event: None,
            usage: None,
            problems: Vec::new(),
            alarms: HashSet::new(),
            voice: AnswerChannel::Silent,
        }
    }

    /// The interaction id, once it is known.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The newest event from which a stream can be resumed.
    pub(super) fn last_event(&self) -> Option<&str> {
        self.last_event.as_deref()
    }

    /// The kind of server, judged by its events.
    pub(super) fn voice(&self) -> AnswerChannel {
        self.voice
    }

    pub(super) fn hear(&mut self, event: InteractionEvent) -> EventEffect {
        if event.id.is_some() {
            self.last_event = event.id;
        }
        self.voice = match event.happening {
            StreamHappening::Unknown(_) if self.voice != AnswerChannel::Gemini => AnswerChannel::Foreign,
            _ => AnswerChannel::Gemini,
        };
        match event.happening {
            StreamHappening::Created(interaction) => EventEffect::Open(self.named_pages(interaction.id)),
            StreamHappening::StatusChanged { id, status } => {
                let mut chunks = self.named_pages(id);
                if let InteractionStatus::Unknown(status) = status {
                    chunks.extend(self.alarm("status", &status));
                }
                EventEffect::Open(chunks)
            }
            StreamHappening::StepStarted { index, step } => self.on_started(index, step),
            StreamHappening::StepChanged { index, delta } => self.status_changed(index, delta),
            StreamHappening::StepStopped { usage } => {
                self.usage = larger(usage, self.usage);
                EventEffect::Open(alive())
            }
            StreamHappening::Completed(interaction) => self.on_completed(&interaction),
            StreamHappening::Failed(problem) => {
                let problems = [problem];
                // Judged like a failed status.
                let verdict = self.ending(&problems).judge(&InteractionStatus::Failed);
                EventEffect::Ended(self.end(verdict, self.answer.annotations()))
            }
            StreamHappening::Unknown(kind) => {
                let mut chunks = alive();
                chunks.extend(self.alarm("event", &kind));
                EventEffect::Open(chunks)
            }
        }
    }

    /// Ends the call from the stored interaction, with the text that was not received before.
    pub(super) fn settle(&mut self, interaction: &Interaction) -> Vec<GeminiChunk> {
        let mut chunks = Vec::new();
        for step in &interaction.steps {
            if let InteractionStep::Unknown(kind) = step {
                chunks.extend(self.alarm("step", kind));
            }
        }
        self.id = interaction.id.clone().or(self.id.take());
        self.usage = larger(interaction.usage, self.usage);
        self.take_calls(&interaction.steps);
        let problems = problems(interaction);
        let verdict = self.ending(&problems).judge(&interaction.status);
        let heard = self.answer.text();
        let written = if heard.is_empty() {
            last_run(&interaction.steps)
        } else {
            all_runs(&interaction.steps)
        };
        match (written.text.strip_prefix(heard), &verdict) {
            (Some(""), _) | (None, CallVerdict::Failed(_) | CallVerdict::Strange(..)) => {}
            (Some(rest), _) => chunks.push(Ok(LlmChunk::Text(rest.to_owned()))),
            (None, CallVerdict::Finished(_)) => {
                let why = "the stored answer differs from the streamed one".to_owned();
                chunks.push(Err(self.to_failure(GeminiTrouble::Cut(why))));
                return chunks;
            }
        }
        chunks.extend(self.end(verdict, written.annotations));
        chunks
    }

    /// Converts an error to a failure of this call.
    pub(super) fn to_failure(&self, trouble: GeminiTrouble) -> StepFailure {
        trouble.into_step_failure(&self.host, RequestSubject::Model(&self.model))
    }

    fn named_pages(&mut self, id: Option<String>) -> Vec<GeminiChunk> {
        match id {
            Some(id) if self.id.is_none() => {
                let handle = handle_of(&id, &self.host);
                self.id = Some(id);
                vec![Ok(LlmChunk::Handle(handle))]
            }
            Some(_) | None => alive(),
        }
    }

    fn on_started(&mut self, index: usize, step: InteractionStep) -> EventEffect {
        let mut chunks = Vec::new();
        match step {
            InteractionStep::Output { blocks, problem } => {
                self.problems.extend(problem);
                for block in blocks {
                    match block {
                        InteractionBlock::Text { text, citations } => {
                            self.answer.interrupt(index);
                            match self.write(index, text) {
                                Ok(chunk) => chunks.push(Ok(chunk)),
                                Err(failure) => return EventEffect::Ended(vec![Err(failure)]),
                            }
                            self.answer.cite(index, citations);
                        }
                        InteractionBlock::Media => self.answer.interrupt(index),
                    }
                }
            }
            InteractionStep::FunctionCall(call) => {
                self.answer.exclude(index);
                if self.may_call {
                    self.calls.insert(index, call);
                }
            }
            InteractionStep::Input | InteractionStep::Thought | InteractionStep::Tool => {
                self.answer.exclude(index)
            }
            InteractionStep::Unknown(kind) => {
                self.answer.exclude(index);
                chunks.extend(self.alarm("step", &kind));
            }
        }
        chunks.extend(alive());
        EventEffect::Open(chunks)
    }

    fn status_changed(&mut self, index: usize, delta: InteractionDelta) -> EventEffect {
        let mut chunks = alive();
        match delta {
            InteractionDelta::Text(text) => match self.write(index, text) {
                Ok(chunk) => chunks = vec![Ok(chunk)],
                Err(failure) => return EventEffect::Ended(vec![Err(failure)]),
            },
            InteractionDelta::Citations(citations) => self.answer.cite(index, citations),
            InteractionDelta::Media => self.answer.interrupt(index),
            InteractionDelta::Arguments(piece) => {
                if let Some(call) = self.calls.get_mut(&index) {
                    if call.arguments.len() + piece.len() > ANSWER_BYTES {
                        let failure = self.to_failure(GeminiTrouble::TooLarge(ANSWER_BYTES));
                        return EventEffect::Ended(vec![Err(failure)]);
                    }
                    call.arguments.push_str(&piece);
                }
            }
            InteractionDelta::Other => {}
            InteractionDelta::Unknown(kind) => chunks.extend(self.alarm("delta", &kind)),
        }
        EventEffect::Open(chunks)
    }

    fn write(&mut self, index: usize, text: String) -> Result<LlmChunk, StepFailure> {
        if self.answer.text().len() + text.len() > ANSWER_BYTES {
            return Err(self.to_failure(GeminiTrouble::TooLarge(ANSWER_BYTES)));
        }
        let is_answer = self.answer.push(index, &text);
        Ok(if is_answer && !text.is_empty() {
            LlmChunk::Text(text)
        } else {
            LlmChunk::Alive
        })
    }

    fn on_completed(&mut self, interaction: &Interaction) -> EventEffect {
        if interaction.status == InteractionStatus::Running {
            return EventEffect::Unsettled;
        }
        let mut chunks = Vec::new();
        self.id = interaction.id.clone().or(self.id.take());
        self.usage = larger(interaction.usage, self.usage);
        if self.calls.is_empty() {
            self.take_calls(&interaction.steps);
        }
        let mut annotations = self.answer.annotations();
        if self.answer.text().is_empty() {
            // Steps normally come as events; if they only come here, they are not lost.
            let written = last_run(&interaction.steps);
            if !written.text.is_empty() {
                chunks.push(Ok(LlmChunk::Text(written.text)));
                annotations = written.annotations;
            }
        }
        let mut all = std::mem::take(&mut self.problems);
        all.extend(problems(interaction));
        let verdict = self.ending(&all).judge(&interaction.status);
        chunks.extend(self.end(verdict, annotations));
        EventEffect::Ended(chunks)
    }

    /// Takes the calls from a complete interaction.
    fn take_calls(&mut self, steps: &[InteractionStep]) {
        if self.may_call && !steps.is_empty() {
            self.calls = function_calls(steps).into_iter().enumerate().collect();
        }
    }

    fn end(&self, verdict: CallVerdict, annotations: Vec<Annotation>) -> Vec<GeminiChunk> {
        match verdict {
            CallVerdict::Finished(finish) => vec![Ok(LlmChunk::End(LlmEnd {
                finish,
                usage: self.usage,
                interaction_id: self.id.clone(),
                annotations,
                calls: self.calls.values().cloned().map(with_arguments).collect(),
            }))],
            CallVerdict::Failed(failure) => vec![Err(failure)],
            CallVerdict::Strange(alarm, failure) => vec![Ok(LlmChunk::Alarm(alarm)), Err(failure)],
        }
    }

    fn ending<'a>(&'a self, problems: &'a [InteractionProblem]) -> CallEnding<'a> {
        CallEnding {
            host: &self.host,
            model: &self.model,
            id: self.id.as_deref(),
            usage: self.usage.as_ref(),
            problems,
            has_calls: !self.calls.is_empty(),
        }
    }

    /// An alarm about an unknown kind, the first time it occurs.
    fn alarm(&mut self, what: &str, kind: &str) -> Option<GeminiChunk> {
        let kind = excerpt(kind);
        let text = format!("{} sent an unknown {what} `{kind}`", self.host);
        let is_new = self.alarms.len() < MOST_ALARMS && self.alarms.insert(text.clone());
        is_new.then_some(Ok(LlmChunk::Alarm(text)))
    }
}

/// Gives a call without arguments an empty object.
fn with_arguments(mut call: FunctionCall) -> FunctionCall {
    if call.arguments.trim().is_empty() {
        "{}".clone_into(&mut call.arguments);
    }
    call
}

fn alive() -> Vec<GeminiChunk> {
    vec![Ok(LlmChunk::Alive)]
}

/// Usage is reported repeatedly and only grows; a smaller number later is not a refund.
fn larger(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    match (one, other) {
        (Some(one), Some(other)) if other.total_tokens() > one.total_tokens() => Some(other),
        (one, other) => one.or(other),
    }
}
