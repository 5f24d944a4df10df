//! The table of models and agents, and the endpoints that return it.

use std::sync::Arc;

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::content::plain_call;
use super::route::GeminiRoute;
use crate::scenario::ScenarioEndpoint;
use crate::server::{IncomingRequest, ServerWorld, SimulatedRefusal, json_response};

const TABLE: &str = include_str!("models.toml");
/// Default number of models per page.
const PAGE: usize = 50;

/// The known models and agents.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SimulatedModels {
    default_input: u64,
    default_output: u64,
    #[serde(rename = "model")]
    models: Vec<Model>,
    #[serde(rename = "agent")]
    agents: Vec<SimulatedAgent>,
    /// Ids that only the OpenAI API knows.
    local: Vec<String>,
    /// Prefixes of further ids that the OpenAI API knows.
    openai_families: Vec<String>,
    /// Ids that the Anthropic API lists.
    claude: Vec<String>,
    /// Prefixes of all ids that the Anthropic API knows.
    claude_families: Vec<String>,
    /// The scenario's own models, known to every API.
    #[serde(skip)]
    own: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Model {
    id: String,
    name: String,
    /// Whether `thinking_level: minimal` is accepted.
    #[serde(default = "yes")]
    pub(crate) minimal: bool,
    #[serde(default)]
    beta_only: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SimulatedAgent {
    id: String,
    #[serde(default)]
    pub(crate) needs_environment: bool,
    #[serde(default = "yes")]
    pub(crate) cancellable: bool,
}

fn yes() -> bool {
    true
}

impl SimulatedModels {
    /// Loads the data file, and adds the scenario's own models.
    pub(crate) fn new(more: &[String]) -> Self {
        let mut table: Self = toml::from_str(TABLE).expect("the data file is checked by a test");
        table.own = more.to_vec();
        table.models.extend(more.iter().map(|id| Model {
            id: id.clone(),
            name: id.clone(),
            minimal: true,
            beta_only: false,
        }));
        table
    }

    pub(crate) fn model(&self, id: &str, version: &str) -> Option<&Model> {
        let known = |model: &&Model| model.id == id && (!model.beta_only || version == "v1beta");
        self.models.iter().find(known)
    }

    pub(crate) fn agent(&self, id: &str) -> Option<&SimulatedAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// The ids that the OpenAI API lists: its own and those of Gemini.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        let gemini = self.models.iter().map(|model| model.id.as_str());
        self.local.iter().map(String::as_str).chain(gemini)
    }

    /// Whether the OpenAI API knows a model.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.ids().any(|known| known == id) || begins_like(id, &self.openai_families)
    }

    /// The ids that the Anthropic API lists.
    pub(crate) fn claude_ids(&self) -> impl Iterator<Item = &str> {
        self.claude.iter().chain(&self.own).map(String::as_str)
    }

    /// Whether the Anthropic API knows a model.
    pub(crate) fn knows_claude(&self, id: &str) -> bool {
        self.claude_ids().any(|known| known == id) || begins_like(id, &self.claude_families)
    }

    fn show(&self, model: &Model) -> Value {
        json!({
            "name": format!("models/{}", model.id),
            "version": "001",
            "displayName": model.name,
            "description": format!("{}, simulated", model.name),
            "inputTokenLimit": self.default_input,
            "outputTokenLimit": self.default_output,
            "supportedGenerationMethods": ["generateContent", "countTokens", "createCachedContent", "batchGenerateContent"],
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "maxTemperature": 2,
            "thinking": true,
        })
    }
}

fn begins_like(id: &str, families: &[String]) -> bool {
    families.iter().any(|family| id.starts_with(family.as_str()))
}

pub(crate) async fn list(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
) -> Result<Response, SimulatedRefusal> {
    if let Some(response) = plain_call(world, incoming, ScenarioEndpoint::Models, "", Ok(())).await? {
        return Ok(response);
    }
    let number = |name: &str| {
        incoming
            .parameter(name)
            .and_then(|text| text.parse::<usize>().ok())
    };
    let first = number("pageToken").unwrap_or(0);
    let size = number("pageSize")
        .filter(|size| *size > 0)
        .unwrap_or(PAGE)
        .min(1000);
    let known: Vec<&Model> = world
        .models
        .models
        .iter()
        .filter(|model| world.models.model(&model.id, &route.version).is_some())
        .collect();
    let page: Vec<Value> = known
        .iter()
        .skip(first)
        .take(size)
        .map(|model| world.models.show(model))
        .collect();
    let mut body = json!({"models": page});
    if first + size < known.len() {
        body["nextPageToken"] = json!((first + size).to_string());
    }
    Ok(json_response(&body))
}

pub(crate) async fn get(
    world: &Arc<ServerWorld>,
    incoming: &IncomingRequest,
    route: &GeminiRoute,
    id: &str,
) -> Result<Response, SimulatedRefusal> {
    let found = world.models.model(id, &route.version);
    let check = found
        .map(drop)
        .ok_or_else(|| SimulatedRefusal::model_not_found(id, &route.version));
    if let Some(response) = plain_call(world, incoming, ScenarioEndpoint::Models, id, check).await? {
        return Ok(response);
    }
    let model = found.ok_or_else(|| SimulatedRefusal::model_not_found(id, &route.version))?;
    Ok(json_response(&world.models.show(model)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_is_read() {
        let table = SimulatedModels::new(&["mine".to_owned()]);
        assert!(table.model("mine", "v1").is_some());
        assert!(table.model("gemini-flash-latest", "v1").is_none());
        assert!(table.model("gemini-flash-latest", "v1beta").is_some());
        assert!(!table.model("gemini-3.8-flash", "v1").unwrap().minimal);
        assert!(table.agent("deep-research-preview-04-2026").unwrap().cancellable);
    }
}
