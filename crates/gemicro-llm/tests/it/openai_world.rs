//! A simulator or a raw server with an OpenAI-compatible backend on it.

use gemicro_core::llm::{AnswerDelivery, LlmBackend, LlmRequest};
use gemicro_event::Json;
use gemicro_llm::{OpenAiBackend, OpenAiConfig};
use gemicro_sim::scenario::Scenario;
use gemicro_sim::{RunningSimulator, Simulator};
use serde_json::{Value, json};

use crate::gemini_world::{Heard, hear, request};
use crate::raw_server::{Act, RawServer};

pub(crate) const KEY: &str = "sk-test-0123456789-abcdefghij";
pub(crate) const MODEL: &str = "llama3.2";

/// A simulator and a backend that talks to it.
pub(crate) struct World {
    pub(crate) simulator: RunningSimulator,
    pub(crate) backend: OpenAiBackend,
}

impl World {
    /// Rules of a scenario, as YAML list items.
    pub(crate) async fn new(rules: &str) -> Self {
        let text = format!("scenario: test\nrules:\n{rules}\n");
        let scenario = Scenario::parse("test.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
        let any = "127.0.0.1:0".parse().expect("an address");
        let simulator = Simulator::start(scenario, any).await.expect("a free port");
        let backend = backend(&simulator.url());
        Self { simulator, backend }
    }

    pub(crate) async fn call(&self, request: LlmRequest) -> Heard {
        hear(self.backend.stream(request, None)).await
    }

    /// The bodies of all requests.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let entries = self.simulator.log().entries();
        entries.into_iter().map(|entry| entry.body).collect()
    }
}

pub(crate) fn backend(url: &str) -> OpenAiBackend {
    let config = OpenAiConfig {
        base_url: url.to_owned(),
        api_key: Some(KEY.to_owned()),
    };
    OpenAiBackend::new(config).expect("an address and a key")
}

pub(crate) fn ask(delivery: AnswerDelivery) -> LlmRequest {
    LlmRequest {
        backend: String::new(),
        model: MODEL.to_owned(),
        system: Some("Be brief.".to_owned()),
        delivery,
        temperature: Some(0.2),
        ..request("hello")
    }
}

pub(crate) fn ask_json(delivery: AnswerDelivery) -> LlmRequest {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    LlmRequest {
        schema: Some(Json::from(schema)),
        ..ask(delivery)
    }
}

pub(crate) const DELIVERIES: [AnswerDelivery; 3] = [
    AnswerDelivery::Streamed,
    AnswerDelivery::Buffered,
    AnswerDelivery::Background,
];

/// What a raw server's answer becomes.
pub(crate) async fn from_raw(script: Vec<Act>) -> Heard {
    let server = RawServer::start(vec![script]).await;
    let heard = hear(backend(&server.url()).stream(ask(AnswerDelivery::Streamed), None)).await;
    assert!(heard.handles.is_empty());
    heard
}
