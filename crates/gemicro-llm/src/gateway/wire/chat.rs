//! The dialect of OpenAI chat completions, as local servers speak it too.

use gemicro_event::Usage;
use serde_json::Value;

use super::openai::PICTURE_TOKENS;
use super::rules::{ReportedUsage, count, required_number};
use super::{AnswerFacts, RequestContents, WireDialect};
use crate::gateway::json::{Leaf, Pick, WantedPaths};

#[derive(Debug)]
pub(super) struct ChatWire;

const OLD_LIMIT: &[&str] = &["max_tokens"];
const LIMIT: &[&str] = &["max_completion_tokens"];

impl WireDialect for ChatWire {
    fn look(&self, path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
        match path {
            ["model"] => asked.state_model(leaf),
            ["max_tokens"] => asked.state_limit(OLD_LIMIT, leaf),
            ["max_completion_tokens"] => asked.state_limit(LIMIT, leaf),
            ["n"] => asked.state_answers(leaf),
            ["stream"] => asked.streams = leaf == Leaf::Bool(true),
            ["stream_options", "include_usage"] => asked.tells_usage = leaf == Leaf::Bool(true),
            ["service_tier"] => asked.tier(leaf),
            ["audio"] if leaf != Leaf::Null => asked.unpriced = Some("an answer that is not text"),
            ["web_search_options"] if leaf != Leaf::Null => asked.provider_tool(),
            ["tools", "type"] if !matches!(leaf, Leaf::Text("function" | "custom")) => asked.provider_tool(),
            ["messages", "content", "type"] => match leaf {
                Leaf::Text("text" | "refusal") => {}
                Leaf::Text("image_url") => asked.picture(PICTURE_TOKENS),
                _ => asked.whole_window = true,
            },
            ["messages", "content", "image_url", "url"] => {
                if let Leaf::Text(url) = leaf
                    && url.starts_with("data:image/")
                {
                    asked.media(url);
                }
            }
            _ => {}
        }
    }

    fn is_tool_data(&self, path: &[&str]) -> bool {
        matches!(path, ["tools", "function", "parameters", ..])
    }

    /// Most servers know the old name; OpenAI's own models want the new one.
    fn limit_field(&self, model: &str) -> &'static [&'static str] {
        let is_openai = ["gpt-", "o1", "o3", "o4", "chatgpt-", "codex-"]
            .iter()
            .any(|start| model.starts_with(start));
        if is_openai { LIMIT } else { OLD_LIMIT }
    }

    /// A stream tells its usage only when asked to.
    fn edits(&self, asked: &RequestContents, _limit: Option<u64>) -> Vec<(&'static [&'static str], String)> {
        if asked.streams && !asked.tells_usage {
            return vec![(&["stream_options", "include_usage"], "true".to_owned())];
        }
        Vec::new()
    }

    fn fact_paths(&self) -> WantedPaths {
        &[&["usage"], &["choices", "finish_reason"]]
    }

    fn read_facts(&self, picks: &[Pick], seen: &mut AnswerFacts) {
        let (usage, ends): (Vec<_>, Vec<_>) = picks.iter().partition(|pick| pick.path == ["usage"]);
        seen.ending |= ends.iter().any(|end| end.text().is_some());
        usage.into_iter().for_each(|pick| seen.hear(pick, read));
    }
}

fn read(usage: &Value) -> Option<ReportedUsage> {
    Some(ReportedUsage {
        usage: Usage {
            input_tokens: required_number(usage, "/prompt_tokens")?,
            output_tokens: required_number(usage, "/completion_tokens")?,
            cached_tokens: count(usage, "/prompt_tokens_details/cached_tokens")?,
            thought_tokens: count(usage, "/completion_tokens_details/reasoning_tokens")?,
            ..Usage::default()
        },
        surcharge: 0,
    })
}
