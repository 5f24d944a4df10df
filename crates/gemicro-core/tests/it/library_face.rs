//! The names that users of the library import from the root of the crate, and what they stand for.

use std::sync::Arc;

use futures_util::StreamExt;
use gemicro_core::llm::scripted::{Part, ScriptedModel};
// As the first description of the library shows them.
use gemicro_core::{
    Agent, AgentContext, AgentError, AgentUpdate, DeepResearchAgent, GemicroConfig, GemicroError, LlmClient,
    LlmConfig, LlmError, LlmRequest, LlmResponse, MODEL, ResearchConfig, ResultMetadata,
};

use crate::support::{MemoryLibrary, documents};

#[test]
fn the_modules_hold_what_the_root_exports() {
    let _: fn(gemicro_core::agent::AgentContext) -> AgentContext = |it| it;
    let _: fn(gemicro_core::agent::DeepResearchAgent) -> DeepResearchAgent = |it| it;
    let _: fn(gemicro_core::update::AgentUpdate) -> AgentUpdate = |it| it;
    let _: fn(gemicro_core::update::ResultMetadata) -> ResultMetadata = |it| it;
    let _: fn(gemicro_core::llm::LlmClient) -> LlmClient = |it| it;
    let _: fn(gemicro_core::config::GemicroConfig) -> GemicroConfig = |it| it;
    let _: fn(gemicro_core::config::ResearchConfig) -> ResearchConfig = |it| it;
    let _: fn(gemicro_core::error::AgentError) -> GemicroError = GemicroError::from;
    let _: fn(gemicro_core::error::LlmError) -> GemicroError = GemicroError::from;
    assert_eq!(MODEL, "gemini-3-flash-preview");
    assert_eq!(LlmConfig::default().model, MODEL);
}

#[tokio::test]
async fn a_client_asks_a_model() {
    let client = LlmClient::new(Arc::new(ScriptedModel::new(Part::Echo)), LlmConfig::default());
    let request: LlmRequest = client.request("Is anybody there?");
    let answer: Result<LlmResponse, LlmError> = client.generate(request).await;
    assert_eq!(answer.unwrap().text, "Is anybody there?");
    let client = LlmClient::new(Arc::new(ScriptedModel::new(Part::Flaky)), LlmConfig::default());
    let failed = client.generate(client.request("x")).await.unwrap_err();
    assert_eq!(GemicroError::from(failed.clone()).to_string(), failed.to_string());
}

#[tokio::test]
async fn an_agent_turns_a_query_into_a_stream_of_updates() {
    let context = AgentContext {
        llm: Some(Arc::new(ScriptedModel::new(Part::Perfect))),
        library: Some(MemoryLibrary::new(&documents())),
        ..AgentContext::default()
    };
    let agent = DeepResearchAgent::new(ResearchConfig::default()).with_sources(["/docs"]);
    let updates: Vec<Result<AgentUpdate, AgentError>> = agent
        .execute("Which crossing is the best?", context)
        .collect()
        .await;
    assert!(updates.iter().all(Result::is_ok), "{updates:?}");
    assert_eq!(
        updates.last().unwrap().as_ref().unwrap().event_type,
        "final_result"
    );
}
