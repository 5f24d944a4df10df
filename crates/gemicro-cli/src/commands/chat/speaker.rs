//! Finds the agent or model that answers, by the name that the user gives.

use gemicro_chat::Speaker;
use gemicro_core::ask::{AgentName, route};
use gemicro_core::llm::{DEFAULT_MODEL, GEMINI, LlmConfig};
use gemicro_core::models::{check_gemini_model, check_model_name};
use gemicro_event::{ErrorKind, Failure};

use crate::backend::OPENAI;

/// The default model for summaries.
const CHEAP_MODEL: &str = "gemini-3.5-flash-lite";

/// The backends that are available in this environment.
#[derive(Debug, Clone, Copy)]
pub(super) struct AvailableBackends {
    /// Whether there is a key for the Gemini API.
    pub(super) gemini: bool,
    /// Whether there is an OpenAI-compatible server.
    pub(super) openai: bool,
}

/// Finds the agent or model with this name.
///
/// # Errors
/// When there is none, or something it needs is missing.
pub(super) fn find(name: &str, reach: AvailableBackends) -> Result<Speaker, Failure> {
    let name = name.trim();
    check_model_name(name)?;
    let named = AgentName::ALL.into_iter().find(|agent| agent.as_str() == name);
    if let Some(model) = model(name) {
        return model.and_then(|speaker| reachable(speaker, reach));
    }
    let route = match named {
        Some(agent) => route(Some(agent), None)?,
        None => route(None, Some(name))?,
    };
    Ok(Speaker::Agent {
        agent: route.agent,
        model: route.model,
    })
}

/// A model without an agent around it: `api:NAME`, `openai:NAME`; `None` for any other name.
fn model(name: &str) -> Option<Result<Speaker, Failure>> {
    let of = |backend: &str, model: &str| Speaker::Model {
        backend: backend.to_owned(),
        model: model.to_owned(),
    };
    match name.split_once(':').unwrap_or((name, "")) {
        ("api", "") => Some(Ok(of(GEMINI, DEFAULT_MODEL))),
        ("api", model) => Some(check_gemini_model(model).map(|()| of(GEMINI, model))),
        (OPENAI, "") => {
            let message = "no model was given; use a model of your server, such as openai:llama3.2";
            Some(Err(Failure::new(ErrorKind::InvalidInput, message)))
        }
        (OPENAI, model) => Some(Ok(of(OPENAI, model))),
        _ => None,
    }
}

fn reachable(speaker: Speaker, reach: AvailableBackends) -> Result<Speaker, Failure> {
    let missing = match &speaker {
        Speaker::Model { backend, .. } if backend == GEMINI && !reach.gemini => {
            Some("no key for the Gemini API; export GEMINI_API_KEY=… (see docs/keys.md)")
        }
        Speaker::Model { backend, .. } if backend == OPENAI && !reach.openai => Some(
            "no OpenAI-compatible server is set; export OPENAI_BASE_URL=http://127.0.0.1:11434/v1 (Ollama)",
        ),
        Speaker::Model { .. } | Speaker::Agent { .. } => None,
    };
    match missing {
        None => Ok(speaker),
        Some(message) => Err(Failure::new(ErrorKind::AuthFailed, message)),
    }
}

/// The model for summaries: the named one, none for `none`, or a cheap one if it is available.
///
/// # Errors
/// When the name is not a model that can be called directly.
pub(super) fn summariser(
    named: Option<&str>,
    reach: AvailableBackends,
) -> Result<Option<LlmConfig>, Failure> {
    let name = match named {
        Some("none") => return Ok(None),
        Some(name) => {
            check_model_name(name)?;
            name
        }
        None if reach.gemini => CHEAP_MODEL,
        None => return Ok(None),
    };
    let plain = || {
        let is_gemini = route(None, Some(name)).is_ok_and(|route| route.agent == AgentName::Gemini);
        (is_gemini && name != "gemini").then(|| Speaker::Model {
            backend: GEMINI.to_owned(),
            model: name.to_owned(),
        })
    };
    let speaker = match model(name) {
        Some(speaker) => speaker?,
        None => plain().ok_or_else(|| {
            let message = format!(
                "`{name}` cannot write summaries; use a model of the Gemini API \
                 ({CHEAP_MODEL}), or openai:NAME"
            );
            Failure::new(ErrorKind::UnknownModel, message)
        })?,
    };
    match reachable(speaker, reach)? {
        Speaker::Model { backend, model } => Ok(Some(LlmConfig {
            backend,
            model,
            ..LlmConfig::default()
        })),
        Speaker::Agent { .. } => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: AvailableBackends = AvailableBackends {
        gemini: true,
        openai: true,
    };
    const NONE: AvailableBackends = AvailableBackends {
        gemini: false,
        openai: false,
    };

    #[test]
    fn names_find_who_answers() {
        let table = [
            ("claude", "claude"),
            ("codex", "codex"),
            ("claude-opus-4.8", "claude · claude-opus-4-8"),
            ("api", "gemini API · gemini-3-flash-preview"),
            ("api:gemini-3.5-flash", "gemini API · gemini-3.5-flash"),
            ("openai:qwen3:8b", "openai API · qwen3:8b"),
        ];
        for (name, expected) in table {
            assert_eq!(find(name, ALL).expect(name).to_string(), expected);
        }
        for name in ["", "nobody", "openai", "openai:"] {
            find(name, ALL).expect_err(name);
        }
        for name in ["api", "openai:x"] {
            assert_eq!(find(name, NONE).expect_err(name).kind, ErrorKind::AuthFailed);
        }
    }

    #[test]
    fn summaries_are_for_models_that_can_be_asked() {
        let model = |named, reach| summariser(named, reach).map(|llm| llm.map(|llm| llm.model));
        assert_eq!(model(None, ALL), Ok(Some(CHEAP_MODEL.to_owned())));
        assert_eq!(model(None, NONE), Ok(None));
        assert_eq!(model(Some("none"), ALL), Ok(None));
        assert_eq!(
            model(Some("gemini-3.5-flash"), ALL),
            Ok(Some("gemini-3.5-flash".to_owned()))
        );
        assert_eq!(model(Some("openai:x"), ALL), Ok(Some("x".to_owned())));
        for named in ["claude", "gemini", "claude-opus-4-8", ""] {
            model(Some(named), ALL).expect_err(named);
        }
        model(Some("gemini-3.5-flash"), NONE).expect_err("there is no key");
    }
}
