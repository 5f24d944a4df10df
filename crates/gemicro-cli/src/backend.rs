//! Who answers. The only place that knows which backends this program was built with.
//!
//! Adding one: a name in `config/endpoints.rs`, its way in to [`backends`], its choice in [`choose`].

use std::sync::Arc;

use gemicro_core::ask::{AgentName, route};
use gemicro_core::llm::{AGENTS_OWN_MODEL, Backends, DEFAULT_MODEL, GEMINI, GateConfig, LlmConfig};
use gemicro_core::models::check_model_name;
use gemicro_core::research::{ResearchEngine, ResearchPlan};
use gemicro_engine::Backend;
use gemicro_event::{ErrorKind, Failure};
use gemicro_llm::{GeminiBackend, GeminiConfig, OpenAiBackend, OpenAiConfig};

use crate::command_error::CommandError;
use crate::commands::doctor;
use crate::config::{BackendName, Endpoints, ResearchSettings, SettingOrigin};
use crate::environment::{ANTHROPIC_KEY, Environment, OPENAI_KEY};

/// The name of OpenAI-compatible servers among backends.
pub(crate) const OPENAI: &str = "openai";
/// Calls at the same time on a server that is usually somebody's own machine.
const LOCAL_PARALLEL: usize = 4;
/// Agent CLIs at the same time: each is a program of some hundred megabytes.
const CLI_PARALLEL: usize = 4;
/// The research agent that is asked unless another is named.
const DEFAULT_AGENT: &str = "deep-research";
/// Seconds a research agent may take: its own limit.
const AGENT_SECONDS: u64 = 3_600;

/// Seconds that one call of an agent CLI may take.
const CLI_SECONDS: u64 = 600;
/// Seconds that an agent CLI may be silent.
const CLI_IDLE_SECONDS: u64 = 300;

/// Chooses who answers a new question.
///
/// # Errors
/// When what the backend needs is missing; the ways on are named.
pub(crate) fn choose(
    settings: &ResearchSettings,
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<Backend, CommandError> {
    let name = if settings.offline.value {
        BackendName::Offline
    } else {
        settings.backend.value
    };
    if let Some(model) = &settings.model.value {
        check_model_name(model)?;
    }
    if let BackendName::Gemini | BackendName::DeepResearch = name
        && environment.gemini_key().is_none()
    {
        // Without a key, a model of another family was hardly meant for Gemini.
        let other = settings.model.value.as_ref();
        let hint = match other.filter(|model| !model.starts_with("gemini")) {
            Some(model) => {
                format!(
                    "if {model} is a local model: --backend openai --model {model} (see docs/local-models.md); otherwise export GEMINI_API_KEY=…"
                )
            }
            None => "export GEMINI_API_KEY=… (see docs/keys.md), or use another backend: --backend NAME"
                .to_owned(),
        };
        return Err(CommandError::new_failure(
            ErrorKind::AuthFailed,
            "no key for the Gemini API: GEMINI_API_KEY is not set",
            hint,
        ));
    }
    let model = settings.model.value.clone();
    match name {
        // A setting for the web does not hold offline; a flag that cannot be obeyed is refused.
        BackendName::Offline
            if settings.web.value == Some(true) && matches!(settings.web.origin, SettingOrigin::Flag(_)) =>
        {
            Err(CommandError::usage(
                "offline research cannot search the web",
                "remove --web, or remove --offline to use a model",
            ))
        }
        BackendName::Offline => Ok(Backend::Offline),
        BackendName::Gemini => Ok(Backend::Model {
            llm: llm(
                settings,
                GEMINI,
                model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            ),
            web: settings.web.value.unwrap_or(settings.sources.value.is_empty()),
        }),
        BackendName::DeepResearch => {
            let llm = llm(
                settings,
                GEMINI,
                model.unwrap_or_else(|| DEFAULT_AGENT.to_owned()),
            );
            let seconds = settings.timeout.value.unwrap_or(AGENT_SECONDS);
            Ok(Backend::Agent(LlmConfig {
                timeout_ms: seconds * 1_000,
                ..llm
            }))
        }
        BackendName::GeminiCli => agent(settings, AgentName::Gemini, environment, endpoints),
        BackendName::Claude => agent(settings, AgentName::Claude, environment, endpoints),
        BackendName::Codex => agent(settings, AgentName::Codex, environment, endpoints),
        BackendName::Openai if endpoints.openai.value.is_none() => Err(CommandError::new_failure(
            ErrorKind::InvalidInput,
            "the openai backend has no server address",
            "export OPENAI_BASE_URL=http://127.0.0.1:11434/v1 (Ollama), or set openai.base_url in your settings",
        )),
        BackendName::Openai if settings.web.value == Some(true) => Err(CommandError::new_failure(
            ErrorKind::InvalidInput,
            "the openai backend cannot search the web",
            "remove --web, or use --backend gemini",
        )),
        BackendName::Openai => match model {
            Some(model) => Ok(Backend::Model {
                llm: llm(settings, OPENAI, model),
                web: false,
            }),
            None => Err(CommandError::new_failure(
                ErrorKind::InvalidInput,
                "the openai backend has no model",
                "choose a model of your server, such as --model llama3.2",
            )),
        },
    }
}

/// An agent CLI that answers each call.
fn agent(
    settings: &ResearchSettings,
    agent: AgentName,
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<Backend, CommandError> {
    if settings.web.value == Some(true) {
        return Err(CommandError::new_failure(
            ErrorKind::InvalidInput,
            format!("the {} backend cannot search the web", agent.backend()),
            "remove --web, or use --backend gemini",
        ));
    }
    let model = route(Some(agent), settings.model.value.as_deref())?.model;
    let model = model.unwrap_or_else(|| AGENTS_OWN_MODEL.to_owned());
    let llm = llm(settings, agent.backend(), model);
    doctor::can_answer(agent, environment, endpoints)?;
    let idle_timeout_ms = match settings.idle_timeout.origin {
        SettingOrigin::Default => CLI_IDLE_SECONDS * 1_000,
        _ => llm.idle_timeout_ms,
    };
    let seconds = settings.timeout.value.unwrap_or(CLI_SECONDS);
    Ok(Backend::Model {
        llm: LlmConfig {
            timeout_ms: seconds * 1_000,
            idle_timeout_ms,
            ..llm
        },
        web: false,
    })
}

/// How calls to a model are made under these settings.
pub(crate) fn llm(settings: &ResearchSettings, backend: &str, model: String) -> LlmConfig {
    let default = LlmConfig::default();
    LlmConfig {
        backend: backend.to_owned(),
        model,
        timeout_ms: settings
            .timeout
            .value
            .map_or(default.timeout_ms, |seconds| seconds * 1_000),
        idle_timeout_ms: settings.idle_timeout.value * 1_000,
        max_output_tokens: settings.max_tokens.value,
        ..default
    }
}

/// Who answered an earlier run: a follow-up asks the same by default.
pub(crate) fn of_plan(plan: &ResearchPlan) -> Backend {
    match &plan.engine {
        ResearchEngine::Offline {} => Backend::Offline,
        ResearchEngine::Model { llm, web, .. } => Backend::Model {
            llm: llm.clone(),
            web: *web,
        },
        ResearchEngine::Agent { llm } => Backend::Agent(llm.clone()),
    }
}

/// Endpoints of other machines that would get a key in clear.
pub(crate) fn in_clear(environment: &Environment, endpoints: &Endpoints) -> Vec<String> {
    let pairs = [
        (environment.gemini_key(), &endpoints.gemini.value),
        (environment.get(OPENAI_KEY), &endpoints.openai.value),
        (environment.get(ANTHROPIC_KEY), &endpoints.anthropic.value),
    ];
    let open = pairs.into_iter().filter_map(|(key, url)| {
        key?;
        let url = url.as_deref()?;
        let (scheme, rest) = url.split_once("://")?;
        if !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let place = rest.split(['/', '?', '#']).next()?;
        let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
        let name = host.rsplit_once(':').map_or(host, |(name, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) {
                name
            } else {
                host
            }
        });
        let name = name.trim_matches(['[', ']']);
        let is_here = name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        (!is_here).then(|| format!("the key is sent to {host} unencrypted; use https"))
    });
    open.collect()
}

/// The backends that runs of this process can ask. Making them opens no connection.
///
/// # Errors
/// When an address or a key cannot be used as it is.
pub(crate) fn backends(
    environment: &Environment,
    endpoints: &Endpoints,
    settings: &ResearchSettings,
) -> Result<Backends, Failure> {
    let limits = |max_concurrent: usize| GateConfig {
        max_concurrent: settings.parallel.value.unwrap_or(max_concurrent),
        per_minute: settings.per_minute.value,
        ..GateConfig::default()
    };
    let mut all = Backends::default();
    if let Some(gemini) = gemini(environment, endpoints)? {
        all = all.with(
            GEMINI,
            Arc::new(gemini),
            limits(GateConfig::default().max_concurrent),
        );
    }
    if let Some(openai) = openai(environment, endpoints)? {
        all = all.with(OPENAI, Arc::new(openai), limits(LOCAL_PARALLEL));
    }
    // The engine adds the agent CLIs.
    let add_limits = |all: Backends, agent: AgentName| all.with_limits(agent.backend(), limits(CLI_PARALLEL));
    Ok(AgentName::ALL.into_iter().fold(all, add_limits))
}

/// The Gemini API, where there is a key.
pub(crate) fn gemini(
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<Option<GeminiBackend>, Failure> {
    let Some(key) = environment.gemini_key() else {
        return Ok(None);
    };
    let mut config = GeminiConfig::new(key);
    if let Some(url) = &endpoints.gemini.value {
        config.base_url = url.clone();
    }
    GeminiBackend::new(config).map(Some)
}

/// The OpenAI-compatible server, where one is named.
pub(crate) fn openai(
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<Option<OpenAiBackend>, Failure> {
    let Some(base_url) = endpoints.openai.value.clone() else {
        return Ok(None);
    };
    let api_key = environment.get(OPENAI_KEY).map(str::to_owned);
    OpenAiBackend::new(OpenAiConfig { base_url, api_key }).map(Some)
}
