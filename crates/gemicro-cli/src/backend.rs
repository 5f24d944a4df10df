//! Who answers. The only place that knows which backends this program was built with.
//!
//! Adding one: make it in [`model`] and let [`choose`] return [`Backend::Model`].

use gemicro_core::llm::Backends;
use gemicro_core::offline::Techniques;
use gemicro_engine::Backend;
use gemicro_event::ErrorKind;

use crate::config::ResearchSettings;
use crate::environment::Environment;
use crate::trouble::Stopped;

/// Chooses who answers a new question.
///
/// # Errors
/// When there is no key, or no backend that could use it; both ways on are named.
pub(crate) fn choose(
    settings: &ResearchSettings,
    techniques: Techniques,
    environment: &Environment,
) -> Result<Backend, Stopped> {
    if settings.offline.value {
        return Ok(Backend::Offline(techniques));
    }
    Err(match environment.key_variable() {
        None => Stopped::failed(
            ErrorKind::AuthFailed,
            "no model can be asked: no key is set, and --offline was not given",
            "answer from your own documents with --offline --source DIR; from the next version on, export GEMINI_API_KEY=… asks a model",
        ),
        Some(variable) => Stopped::failed(
            ErrorKind::AuthFailed,
            format!("{variable} is set, but this version has no model backend yet; the next one brings it"),
            "answer from your own documents now: --offline --source DIR",
        ),
    })
}

/// The model that runs of this process can call, if any.
pub(crate) fn model(_environment: &Environment) -> Backends {
    Backends::default()
}
