//! The dialect of the Gemini Interactions API.

use gemicro_event::Usage;
use serde_json::Value;

use super::gemini::{PICTURE_TOKENS, snake_case};
use super::rules::{ReportedUsage, count};
use super::{AnswerFacts, RequestContents, WireDialect};
use crate::gateway::json::{Leaf, Pick, WantedPaths};

#[derive(Debug)]
pub(super) struct Interactions;

const LIMIT: &[&str] = &["generation_config", "max_output_tokens"];

impl WireDialect for Interactions {
    fn fold(&self) -> fn(&str) -> String {
        snake_case
    }

    fn look(&self, path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
        match path {
            ["model"] => asked.state_model(leaf),
            ["agent" | "agentconfig"] if leaf != Leaf::Null => {
                asked.unserved = Some("an agent of the provider works without a limit");
            }
            ["generationconfig", "maxoutputtokens"] => asked.state_limit(LIMIT, leaf),
            ["stream"] => asked.streams = leaf == Leaf::Bool(true),
            ["servicetier"] => asked.tier(leaf),
            ["previousinteractionid" | "continuationtoken" | "environment" | "cachedcontent"] => {
                asked.not_in_body(leaf);
            }
            ["responseformat", "type"] if !matches!(leaf, Leaf::Text("text")) => {
                asked.unpriced = Some("an answer that is not text");
            }
            ["tools", "type"] if leaf == Leaf::Text("google_search") => asked.whole_window = true,
            ["tools", "type"] if leaf != Leaf::Text("function") => asked.provider_tool(),
            ["input", "type"] | ["input", "content" | "result", "type"] => content(leaf, asked),
            ["input", .., "uri"] => asked.not_in_body(leaf),
            ["input", .., "mimetype"] => {
                if let Leaf::Text(mime) = leaf {
                    asked.medium(mime, 0);
                }
            }
            ["input", .., "data"] => {
                if let Leaf::Text(data) = leaf {
                    asked.media(data);
                }
            }
            _ => {}
        }
    }

    fn is_tool_data(&self, path: &[&str]) -> bool {
        matches!(path, ["tools", "parameters", ..] | ["input", "arguments", ..])
    }

    fn limit_field(&self, _model: &str) -> &'static [&'static str] {
        LIMIT
    }

    fn fact_paths(&self) -> WantedPaths {
        &[
            &["usage"],
            &["status"],
            &["interaction", "usage"],
            &["event_type"],
        ]
    }

    fn read_facts(&self, picks: &[Pick], seen: &mut AnswerFacts) {
        let text_at = |path: &[&str]| picks.iter().find(|pick| pick.path == path).and_then(Pick::text);
        match text_at(&["event_type"]) {
            Some(event) => seen.ending |= event == "interaction.completed",
            None => {
                let status = text_at(&["status"]);
                seen.goes_on |= matches!(status.as_deref(), Some("in_progress" | "queued"));
            }
        }
        let usage = picks.iter().filter(|pick| pick.path.ends_with(&["usage"]));
        usage.for_each(|pick| seen.hear(pick, read));
    }
}

/// One step or piece of content.
fn content(leaf: Leaf<'_>, asked: &mut RequestContents) {
    let Leaf::Text(kind) = leaf else { return };
    match kind {
        "image" => asked.picture(PICTURE_TOKENS),
        "text" | "user_input" | "model_output" | "thought" | "url_citation" => {}
        _ if kind.ends_with("_call") || kind.ends_with("_result") => {}
        _ => asked.whole_window = true,
    }
}

fn read(usage: &Value) -> Option<ReportedUsage> {
    let thoughts = count(usage, "/total_thought_tokens")?;
    Some(ReportedUsage {
        usage: Usage {
            input_tokens: count(usage, "/total_input_tokens")?,
            output_tokens: count(usage, "/total_output_tokens")?.saturating_add(thoughts),
            cached_tokens: count(usage, "/total_cached_tokens")?,
            thought_tokens: thoughts,
            tool_tokens: count(usage, "/total_tool_use_tokens")?,
            estimated: false,
        },
        surcharge: 0,
    })
}
