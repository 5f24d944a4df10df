//! A simulator, a backend on it, and everything a call gives out.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::llm::{
    AnswerDelivery, CallTime, FinishReason, LlmBackend, LlmChunk, LlmEnd, LlmRequest, LlmTool,
};
use gemicro_event::{ErrorKind, Json};
use gemicro_llm::{GeminiBackend, GeminiConfig};
use gemicro_sim::scenario::{Scenario, ScenarioEndpoint};
use gemicro_sim::{RunningSimulator, Simulator};
use serde_json::json;

pub(crate) const KEY: &str = "test-key-0123456789-abcdef";
pub(crate) const MODEL: &str = "gemini-3.8-flash";

/// A simulator and a backend that talks to it.
pub(crate) struct World {
    pub(crate) simulator: RunningSimulator,
    pub(crate) backend: GeminiBackend,
}

impl World {
    /// Rules of a scenario, as YAML list items.
    pub(crate) async fn new(rules: &str) -> Self {
        let text = format!("scenario: test\nrules:\n{rules}\n");
        let scenario = Scenario::parse("test.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let simulator = Simulator::start(scenario, any)
            .await
            .expect("the servers of the tests run");
        let backend = backend(&simulator.url());
        Self { simulator, backend }
    }

    pub(crate) async fn call(&self, request: LlmRequest) -> Heard {
        hear(self.backend.stream(request, None)).await
    }

    pub(crate) async fn pick_up(&self, request: LlmRequest, id: &str) -> Heard {
        hear(self.backend.stream(request, Some(handle(id)))).await
    }

    /// Requests that started an interaction.
    pub(crate) fn n_created(&self) -> usize {
        self.simulator.log().count(ScenarioEndpoint::Interactions)
    }

    /// Requests that asked for one.
    pub(crate) fn n_looks(&self) -> usize {
        self.simulator.log().count(ScenarioEndpoint::GetInteraction)
    }

    /// The body of the first request.
    pub(crate) fn first_body(&self) -> serde_json::Value {
        self.simulator.log().entries()[0].body.clone()
    }
}

pub(crate) fn config(url: &str) -> GeminiConfig {
    GeminiConfig {
        base_url: url.to_owned(),
        poll: Duration::from_millis(20),
        ..GeminiConfig::new(KEY)
    }
}

pub(crate) fn backend(url: &str) -> GeminiBackend {
    GeminiBackend::new(config(url)).expect("the servers of the tests run")
}

/// A handle as older versions wrote it.
pub(crate) fn handle(id: &str) -> Json {
    Json::from(json!({ "interaction": id }))
}

/// A handle of the server at this address.
pub(crate) fn handle_at(id: &str, url: &str) -> Json {
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    Json::from(json!({ "interaction": id, "host": host }))
}

pub(crate) fn request(prompt: &str) -> LlmRequest {
    LlmRequest {
        label: "test".to_owned(),
        backend: String::new(),
        model: MODEL.to_owned(),
        system: None,
        prompt: prompt.to_owned(),
        previous: None,
        schema: None,
        tools: Vec::new(),
        functions: Vec::new(),
        rounds: Vec::new(),
        delivery: AnswerDelivery::Streamed,
        max_output_tokens: 1_000,
        temperature: None,
        time: CallTime::default(),
    }
}

pub(crate) fn delivered(prompt: &str, delivery: AnswerDelivery) -> LlmRequest {
    LlmRequest {
        delivery,
        ..request(prompt)
    }
}

pub(crate) fn searching(prompt: &str) -> LlmRequest {
    LlmRequest {
        tools: vec![LlmTool::GoogleSearch],
        ..request(prompt)
    }
}

/// Everything a call gave out.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) text: String,
    pub(crate) n_texts: usize,
    pub(crate) n_alive: usize,
    pub(crate) handles: Vec<Json>,
    pub(crate) alarms: Vec<String>,
    pub(crate) end: Option<LlmEnd>,
    pub(crate) failure: Option<StepFailure>,
}

impl Heard {
    pub(crate) fn end(&self) -> &LlmEnd {
        self.end.as_ref().unwrap_or_else(|| panic!("no end: {self:?}"))
    }

    pub(crate) fn finish(&self) -> &FinishReason {
        &self.end().finish
    }

    pub(crate) fn failed(&self) -> &StepFailure {
        self.failure
            .as_ref()
            .unwrap_or_else(|| panic!("no failure: {self:?}"))
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.failed().failure.kind
    }

    pub(crate) fn message(&self) -> &str {
        &self.failed().failure.message
    }

    pub(crate) fn spent(&self) -> AttemptCost {
        self.failed().spent
    }

    /// Failed with this kind, at unknown cost.
    pub(crate) fn assert_lost(&self, kind: ErrorKind) {
        assert_eq!(
            (self.kind(), self.spent()),
            (kind, AttemptCost::Unknown),
            "{self:?}"
        );
    }
}

/// Hears a stream to its end. Nothing comes after an end or a failure.
pub(crate) async fn hear(stream: impl Stream<Item = Result<LlmChunk, StepFailure>>) -> Heard {
    let mut stream = std::pin::pin!(stream);
    let mut heard = Heard::default();
    let listening = async {
        while let Some(chunk) = stream.next().await {
            assert!(
                heard.end.is_none() && heard.failure.is_none(),
                "more after the end: {chunk:?}"
            );
            match chunk {
                Ok(LlmChunk::Handle(handle)) => heard.handles.push(handle),
                Ok(LlmChunk::Text(text)) => {
                    heard.text.push_str(&text);
                    heard.n_texts += 1;
                }
                Ok(LlmChunk::Alive) => heard.n_alive += 1,
                Ok(LlmChunk::Alarm(text)) => heard.alarms.push(text),
                Ok(LlmChunk::End(end)) => heard.end = Some(end),
                Err(failure) => heard.failure = Some(failure),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), listening)
        .await
        .expect("the call ends");
    heard
}
