//! Checks which models can be reached from here, and why not.

use std::time::Duration;

use gemicro_core::models::ModelTable;
use gemicro_event::{ErrorKind, Failure};
use gemicro_llm::GeminiConfig;
use gemicro_llm::rest::GeminiRest;

use super::finding::{DoctorFinding, attention, good};
use crate::command_error::CommandError;
use crate::config::{Endpoints, Layers};
use crate::environment::KEY_VARIABLES;
use crate::session::Context;
use crate::{backend, runtime};

/// Maximum time for a backend to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks every backend. One that does not work is a warning, not an error: no-model mode needs none.
pub(super) fn look(ctx: &Context, offline: bool) -> Vec<DoctorFinding> {
    let endpoints = Layers::load(&ctx.environment).and_then(|layers| Endpoints::resolve(&layers));
    let endpoints = match endpoints {
        Ok(endpoints) => endpoints,
        Err(CommandError::Report(report)) => {
            return vec![attention("model", report.failure.message.clone(), report.hint())];
        }
        Err(_) => return Vec::new(),
    };
    let table = ModelTable::embedded();
    let listed = format!("{} known models, as of {}", table.models().count(), table.date());
    vec![
        gemini(ctx, &endpoints, offline),
        openai(ctx, &endpoints, offline),
        good("model table", listed),
    ]
}

fn gemini(ctx: &Context, endpoints: &Endpoints, offline: bool) -> DoctorFinding {
    let (Some(key), Some(variable)) = (ctx.environment.gemini_key(), ctx.environment.key_variable()) else {
        return attention(
            "gemini",
            format!("no key is set ({})", KEY_VARIABLES.join(" or ")),
            "export GEMINI_API_KEY=… (docs/keys.md), or use --offline --source DIR",
        );
    };
    let mut config = GeminiConfig::new(key);
    if let Some(url) = &endpoints.gemini.value {
        config.base_url = url.clone();
    }
    let place = config.base_url.clone();
    if offline {
        return good("gemini", format!("{variable} is set, for {place}; not contacted"));
    }
    let asked = within(async {
        let models = GeminiRest::new(&config)?.models().await?;
        Ok(models.len())
    });
    match asked {
        Ok(n) => good("gemini", format!("{variable} works, {n} models at {place}")),
        Err(failure) => attention(
            "gemini",
            format!("{variable} is set, but: {failure}"),
            hint(&failure),
        ),
    }
}

fn openai(ctx: &Context, endpoints: &Endpoints, offline: bool) -> DoctorFinding {
    let Some(place) = endpoints.openai.value.clone() else {
        return good(
            "openai",
            "no server is set (OPENAI_BASE_URL); docs/local-models.md describes local models".to_owned(),
        );
    };
    if offline {
        return good("openai", format!("{place}; not contacted"));
    }
    let asked = match backend::openai(&ctx.environment, endpoints) {
        Ok(Some(server)) => within(async move { server.models().await }),
        Ok(None) => Ok(Vec::new()),
        Err(failure) => Err(failure),
    };
    match asked {
        Ok(models) if models.is_empty() => attention(
            "openai",
            format!("{place} has no model"),
            "load one into the server",
        ),
        Ok(models) => {
            let some: Vec<&str> = models.iter().take(5).map(String::as_str).collect();
            good("openai", format!("{place}: {}", some.join(", ")))
        }
        Err(failure) => attention("openai", failure.to_string(), hint(&failure)),
    }
}

fn hint(failure: &Failure) -> &'static str {
    match failure.kind {
        ErrorKind::AuthFailed => "check the key; docs/keys.md says where to get one",
        ErrorKind::RateLimited | ErrorKind::QuotaExhausted => "wait for the limit to end",
        _ => "check the address and the network",
    }
}

pub(super) fn within<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let late = || {
        Failure::new(
            ErrorKind::Timeout,
            format!("no answer within {} s", PATIENCE.as_secs()),
        )
    };
    let asked = async {
        tokio::time::timeout(PATIENCE, work)
            .await
            .unwrap_or_else(|_| Err(late()))
            .map_err(CommandError::from)
    };
    runtime::block_on(asked).map_err(|stopped| match stopped {
        CommandError::Report(report) => report.failure.clone(),
        _ => late(),
    })
}
