//! A model that calls functions, and a conversation to look things up in.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gemicro_core::budget::Limits;
use gemicro_core::drive::{DriveContext, begin, drive};
use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::history::{Author, ConversationLog, Turn, TurnAdded};
use gemicro_core::llm::{
    Backends, FinishReason, FunctionCall, GEMINI, LlmBackend, LlmChunk, LlmConfig, LlmEnd, LlmRequest,
};
use gemicro_core::prompt::{ModelTask, PromptFlow, RECALL_STEP, RecallExecutor};
use gemicro_core::research::{ResearchExecutors, executors};
use gemicro_core::run::events::RunStarted;
use gemicro_core::store::{MemoryStore, NewEvent, NewStream, Store, StreamKind};
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, Json, StreamId, Timestamp, Usage};
use serde_json::json;

use crate::support::{self, ProbeStore, context, journal, terminal};

/// What the model does with a request: text and calls, or a failure.
pub(crate) type Says = fn(&LlmRequest) -> Result<(&'static str, Vec<FunctionCall>), ErrorKind>;

/// A model made of a function; it keeps what it was asked.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) says: Says,
    pub(crate) asked: Arc<Mutex<Vec<LlmRequest>>>,
}

impl Caller {
    pub(crate) fn new(says: Says) -> Self {
        Self {
            says,
            asked: Arc::default(),
        }
    }

    pub(crate) fn asked(&self) -> Vec<LlmRequest> {
        self.asked.lock().expect("free").clone()
    }
}

pub(crate) const USAGE: Usage = Usage {
    input_tokens: 100,
    output_tokens: 10,
    cached_tokens: 0,
    thought_tokens: 0,
    tool_tokens: 0,
    estimated: false,
};

impl LlmBackend for Caller {
    fn name(&self) -> &str {
        "caller"
    }

    fn stream(
        &self,
        request: LlmRequest,
        _handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let said = (self.says)(&request);
        let mut asked = self.asked.lock().expect("free");
        asked.push(request);
        let chunks = match said {
            Ok((text, calls)) => vec![
                Ok(LlmChunk::Text(text.to_owned())),
                Ok(LlmChunk::End(LlmEnd {
                    finish: FinishReason::Stop,
                    usage: Some(USAGE),
                    interaction_id: Some(format!("i{}", asked.len())),
                    annotations: Vec::new(),
                    calls,
                })),
            ],
            Err(kind) => {
                let failure = Failure::new(kind, "scripted");
                vec![Err(StepFailure::new(failure, AttemptCost::Nothing))]
            }
        };
        futures_util::stream::iter(chunks).boxed()
    }
}

pub(crate) fn call(name: &str, arguments: serde_json::Value) -> FunctionCall {
    FunctionCall {
        id: "c1".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    }
}

pub(crate) fn look_up() -> Vec<FunctionCall> {
    vec![call("recall", json!({ "query": "captain pudding" }))]
}

/// Looks it up once, if it can, and answers with the first result.
pub(crate) fn once(request: &LlmRequest) -> Result<(&'static str, Vec<FunctionCall>), ErrorKind> {
    match request.rounds.first() {
        None if request.functions.is_empty() => Ok(("I do not know.", Vec::new())),
        None => Ok(("Let me see.", look_up())),
        Some(round) if round.results[0].text.contains("walnut") => Ok(("It is walnut.", Vec::new())),
        Some(_) => Ok(("It is nowhere.", Vec::new())),
    }
}

pub(crate) fn task(conversation: &StreamId) -> ModelTask {
    ModelTask {
        title: "a turn".to_owned(),
        llm: LlmConfig {
            max_attempts: 1,
            ..LlmConfig::default()
        },
        label: "chat".to_owned(),
        prompt: "Which sweet was it?".to_owned(),
        earlier: None,
        conversation: Some(conversation.clone()),
        recall: true,
        notices: Vec::new(),
    }
}

pub(crate) fn started(task: &ModelTask, limits: Limits) -> RunStarted {
    RunStarted {
        title: task.title.clone(),
        plan: Json::of(task).expect("a plan"),
        limits,
        ..support::started(&PromptFlow)
    }
}

/// A conversation whose second turn says it.
pub(crate) async fn conversation(store: &MemoryStore) -> StreamId {
    let mut log = ConversationLog::new();
    log.append(Turn::new(Author::User, "We sail at noon."));
    log.append(Turn::new(
        Author::Assistant,
        "The captain prefers walnut pudding.",
    ));
    log.append(Turn::new(Author::User, "Which sweet was it?"));
    let turns = log.turns().iter().cloned();
    let events = turns.map(|turn| {
        let added = AgentUpdate::new(&TurnAdded { turn }, Timestamp::now());
        NewEvent::of_run(added)
    });
    let id = StreamId::random();
    let new = NewStream {
        stream: id.clone(),
        kind: StreamKind::Conversation,
        parent_run: None,
        events: events.collect(),
        lease: None,
        board: Vec::new(),
    };
    store.create(new).await.expect("stored");
    id
}

pub(crate) fn world(store: &Arc<ProbeStore>, model: &Caller) -> DriveContext {
    let parts = ResearchExecutors {
        library: None,
        llm: Backends::one(GEMINI, Arc::new(model.clone())),
    };
    let journal: Arc<dyn Store> = Arc::new(store.inner.clone());
    let executors = executors(parts).with(RECALL_STEP, Arc::new(RecallExecutor::new(journal)));
    context(store, executors)
}

/// Runs a turn over a conversation; edits its plan first.
pub(crate) async fn run(says: Says, limits: Limits, edit: fn(&mut ModelTask)) -> (Vec<Event>, Caller) {
    let store = ProbeStore::new();
    let model = Caller::new(says);
    let ctx = world(&store, &model);
    let mut task = task(&conversation(&store.inner).await);
    edit(&mut task);
    let id = StreamId::random();
    let hold = begin(&ctx, &id, None, &started(&task, limits))
        .await
        .expect("begins");
    drive(&ctx, &PromptFlow, hold).await.expect("ends");
    (journal(&store, &id).await, model)
}

pub(crate) fn answer(events: &[Event]) -> String {
    let end = terminal(events);
    let answer = end.update.data.get("answer").and_then(|answer| answer.as_str());
    answer.unwrap_or(&end.update.message).to_owned()
}

pub(crate) fn messages<'e>(events: &'e [Event], kind: &str) -> Vec<&'e str> {
    let events = events.iter().filter(|event| event.update.event_type == kind);
    events.map(|event| event.update.message.as_str()).collect()
}
