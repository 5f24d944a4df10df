//! The Gemini API: paths, key, errors, and the dialect of `generateContent`.

use gemicro_event::Usage;
use hyper::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::interactions::Interactions;
use super::rules::{ReportedUsage, count};
use super::{AnswerFacts, GatewayRoute, RequestContents, WireDialect, WireRules, WireTask};
use crate::gateway::json::{Leaf, Pick, WantedPaths};
use crate::gateway::problem::GatewayProblem;

/// The most tokens of one picture, at the highest resolution there is.
pub(super) const PICTURE_TOKENS: u64 = 8_192;

pub(super) struct GeminiWire;

impl WireRules for GeminiWire {
    fn route(&self, method: &Method, path: &[&str]) -> Option<GatewayRoute> {
        let (get, post) = (*method == Method::GET, *method == Method::POST);
        let [version, rest @ ..] = path else { return None };
        if !matches!(*version, "v1beta" | "v1") {
            return None;
        }
        match rest {
            ["models"] if get => Some(GatewayRoute::free(path)),
            ["models", model] if get && !model.contains(':') => Some(GatewayRoute::free(path)),
            ["models", called] if post => {
                let (model, verb) = called.split_once(':')?;
                match verb {
                    _ if model.is_empty() => None,
                    "countTokens" => Some(GatewayRoute::count(path, &GenerateContent)),
                    "generateContent" | "streamGenerateContent" => Some(GatewayRoute {
                        task: WireTask::Generate {
                            dialect: &GenerateContent,
                            model: Some(model.to_owned()),
                            verb: format!(":{verb}"),
                        },
                        ..GatewayRoute::free(path)
                    }),
                    _ => None,
                }
            }
            ["interactions"] if post => Some(GatewayRoute::generate(path, &Interactions)),
            ["interactions", _] if get || *method == Method::DELETE => Some(GatewayRoute::free(path)),
            ["interactions", _, "cancel"] if post => Some(GatewayRoute::free(path)),
            _ => None,
        }
    }

    fn query(&self) -> &'static [&'static str] {
        &[
            "alt",
            "pageSize",
            "pageToken",
            "stream",
            "last_event_id",
            "include_input",
        ]
    }

    fn passes(&self, header: &str) -> bool {
        matches!(header, "x-goog-api-client" | "api-revision" | "x-server-timeout")
    }

    fn key_header(&self) -> HeaderName {
        HeaderName::from_static("x-goog-api-key")
    }

    fn key_value(&self, key: &str) -> Option<HeaderValue> {
        HeaderValue::from_str(key).ok()
    }

    /// The CLI stops at once on 400 to 404; it repeats 429 and 5xx.
    fn error(&self, problem: &GatewayProblem) -> Value {
        let status = match problem.status {
            400 | 413 | 415 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 | 405 => "NOT_FOUND",
            408 | 504 => "DEADLINE_EXCEEDED",
            502 | 503 => "UNAVAILABLE",
            _ => "INTERNAL",
        };
        let reason = json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": problem.code.to_ascii_uppercase(),
            "domain": "gemicro",
        });
        json!({ "error": {
            "code": problem.status, "message": problem.message, "status": status, "details": [reason],
        } })
    }
}

#[derive(Debug)]
pub(super) struct GenerateContent;

/// The service takes `maxOutputTokens` and `max_output_tokens` for the same.
pub(super) fn snake_case(key: &str) -> String {
    key.chars()
        .filter(|&letter| letter != '_')
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

const LIMIT: &[&str] = &["generationConfig", "maxOutputTokens"];

impl WireDialect for GenerateContent {
    fn fold(&self) -> fn(&str) -> String {
        snake_case
    }

    fn look(&self, path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
        match inside_count(path) {
            ["generationconfig", "maxoutputtokens"] => asked.state_limit(LIMIT, leaf),
            ["generationconfig", "candidatecount"] => asked.state_answers(leaf),
            ["generationconfig", "responsemodalities"] => {
                if matches!(leaf, Leaf::Text(kind) if !kind.eq_ignore_ascii_case("text")) {
                    asked.unpriced = Some("an answer that is not text");
                }
            }
            ["servicetier"] => asked.tier(leaf),
            ["cachedcontent"] => asked.not_in_body(leaf),
            ["tools", "functiondeclarations"] => {}
            ["tools", "googlesearch"] => asked.not_in_body(leaf),
            ["tools", _] if leaf != Leaf::Null => asked.provider_tool(),
            [
                "contents" | "systeminstruction",
                "parts",
                "functionresponse",
                "parts",
                rest @ ..,
            ]
            | ["contents" | "systeminstruction", "parts", rest @ ..] => part(rest, leaf, asked),
            _ => {}
        }
    }

    fn is_tool_data(&self, path: &[&str]) -> bool {
        matches!(
            inside_count(path),
            ["tools", "functiondeclarations", ..]
                | ["contents", "parts", "functioncall", "args", ..]
                | ["contents", "parts", "functionresponse", "response", ..]
        )
    }

    fn limit_field(&self, _model: &str) -> &'static [&'static str] {
        LIMIT
    }

    fn fact_paths(&self) -> WantedPaths {
        &[
            &["usageMetadata"],
            &["candidates", "finishReason"],
            &["promptFeedback", "blockReason"],
        ]
    }

    fn read_facts(&self, picks: &[Pick], seen: &mut AnswerFacts) {
        let (usage, ends): (Vec<_>, Vec<_>) = picks.iter().partition(|pick| pick.path == ["usageMetadata"]);
        seen.ending |= ends.iter().any(|end| end.text().is_some());
        usage.into_iter().for_each(|pick| seen.hear(pick, read));
    }
}

/// A path inside the request that `countTokens` wraps, or as it is.
fn inside_count<'a, 'k>(path: &'a [&'k str]) -> &'a [&'k str] {
    path.strip_prefix(&["generatecontentrequest"]).unwrap_or(path)
}

/// One part of a message; what is not known to be text in the body may be anything.
fn part(path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
    match (path, leaf) {
        (["inlinedata", "mimetype"], Leaf::Text(mime)) => asked.medium(mime, PICTURE_TOKENS),
        (["inlinedata", "data"], Leaf::Text(data)) => asked.media(data),
        ([] | ["inlinedata", ..], _) => {}
        (
            [
                "text"
                | "thought"
                | "thoughtsignature"
                | "functioncall"
                | "functionresponse"
                | "executablecode"
                | "codeexecutionresult"
                | "mediaresolution"
                | "partmetadata",
                ..,
            ],
            _,
        ) => {}
        _ => asked.not_in_body(leaf),
    }
}

fn read(usage: &Value) -> Option<ReportedUsage> {
    let thoughts = count(usage, "/thoughtsTokenCount")?;
    Some(ReportedUsage {
        usage: Usage {
            input_tokens: count(usage, "/promptTokenCount")?,
            output_tokens: count(usage, "/candidatesTokenCount")?.saturating_add(thoughts),
            cached_tokens: count(usage, "/cachedContentTokenCount")?,
            thought_tokens: thoughts,
            tool_tokens: count(usage, "/toolUsePromptTokenCount")?,
            estimated: false,
        },
        surcharge: 0,
    })
}
