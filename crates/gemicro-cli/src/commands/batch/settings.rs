//! The settings of a batch: the same as for research, and the coverage reports.

use std::path::Path;
use std::time::Duration;

use gemicro_core::llm::{DEFAULT_MODEL, GEMINI, LlmConfig};
use gemicro_engine::{BatchRequest, BatchSettings, SubmittedBatch};

use crate::backend::{self, OPENAI};
use crate::command_error::CommandError;
use crate::config::{BackendName, CoverageSettings, Layers, ResearchSettings, SettingOrigin};

/// Time without output after which an agent is ended, as for `gemicro ask`.
const AGENT_IDLE: Duration = Duration::from_secs(300);
/// Maximum duration of an agent, as for `gemicro ask`.
const AGENT_TOTAL: Duration = Duration::from_secs(1_800);

/// A batch with its settings for a folder.
///
/// # Errors
/// When a setting is wrong or missing. A key may be missing: only tasks that call a model need it.
pub(crate) fn request(
    batch: SubmittedBatch,
    layers: &Layers,
    settings: &ResearchSettings,
    directory: &Path,
) -> Result<BatchRequest, CommandError> {
    let directory = directory.to_str().ok_or_else(|| {
        let message = format!("the path {} is not valid Unicode", directory.display());
        CommandError::usage(message, "choose another folder with --dir")
    })?;
    Ok(BatchRequest {
        batch,
        settings: BatchSettings {
            llm: llm(settings)?,
            directory: directory.to_owned(),
            agent_idle_ms: millis(AGENT_IDLE),
            agent_total_ms: millis(AGENT_TOTAL),
            coverage_reports: CoverageSettings::resolve(layers)?.reports.value,
        },
        limits: settings.limits()?,
    })
}

/// How models are called. If research is set to an agent or to no model, the default model is used.
pub(crate) fn llm(settings: &ResearchSettings) -> Result<LlmConfig, CommandError> {
    let named = settings.model.value.clone();
    let (backend, model) = match settings.backend.value {
        BackendName::Openai => {
            let model = named.ok_or_else(|| {
                CommandError::usage(
                    "the openai backend has no model",
                    "choose a model of your server, such as --model llama3.2",
                )
            })?;
            (OPENAI, Some(model))
        }
        BackendName::Gemini => (GEMINI, named),
        BackendName::DeepResearch
        | BackendName::Offline
        | BackendName::GeminiCli
        | BackendName::Claude
        | BackendName::Codex => {
            let is_meant = matches!(settings.model.origin, SettingOrigin::Flag(_));
            (GEMINI, named.filter(|_| is_meant))
        }
    };
    let model = model.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    Ok(backend::llm(settings, backend, model))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
