//! The settings of research: the model, the sources and the limits.
//!
//! Adding one: a line in the table below, and its flag in `commands/research/args.rs`.

use std::path::PathBuf;

use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::research::ResearchConfig;
use gemicro_engine::AllowedHost;

use super::layers::Spec;
use super::readers;
use super::{BackendName, Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;

/// One line per setting: field and type, key in files, variable, flag, parser, default, formatter.
macro_rules! settings {
    ($($(#[$doc:meta])* $field:ident: $type:ty, $key:literal, $variable:literal, $flag:literal, $read:path, $default:expr, $show:expr;)+) => {
        /// The keys of this group in files.
        pub(super) const KEYS: &[&str] = &[$($key,)+];

        /// The values from the command line.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct ResearchFlags {
            $(pub(crate) $field: Option<$type>,)+
        }

        /// The settings of a research run.
        #[derive(Debug, Clone)]
        pub(crate) struct ResearchSettings {
            $($(#[$doc])* pub(crate) $field: SettingValue<$type>,)+
        }

        impl ResearchSettings {
            /// Takes the value with the highest precedence for each.
            pub(crate) fn resolve(layers: &Layers, flags: ResearchFlags) -> Result<Self, CommandError> {
                Ok(Self {
                    $($field: {
                        let spec = Spec { key: $key, variable: $variable, flag: $flag, read: $read };
                        layers.pick(&spec, flags.$field, $default)?
                    },)+
                })
            }

            /// Lines for `config show`.
            pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
                vec![$(($key, $show(&self.$field.value), self.$field.origin.clone()),)+]
            }
        }
    };
}

settings! {
    /// Folders, files and web addresses to read.
    sources: Vec<PathBuf>, "research.sources", "GEMICRO_SOURCES", "--source", readers::sources,
        Vec::new(), |paths: &Vec<PathBuf>| list(paths.iter().map(|path| path.display().to_string()).collect());
    /// Whether to answer without a model.
    offline: bool, "research.offline", "GEMICRO_OFFLINE", "--offline", readers::switch,
        false, bool::to_string;
    backend: BackendName, "research.backend", "GEMICRO_BACKEND", "--backend", readers::backend,
        BackendName::Gemini, BackendName::to_string;
    /// The model; by default the backend's own.
    model: Option<String>, "research.model", "GEMICRO_MODEL", "--model", readers::model,
        None, |model: &Option<String>| model.clone().unwrap_or_else(|| "the backend's default".to_owned());
    /// Whether the web may be searched; by default, when there are no sources.
    web: Option<bool>, "research.web", "GEMICRO_WEB", "--web", readers::optional_switch,
        None, |web: &Option<bool>| web.map_or_else(|| "when there are no sources".to_owned(), |web| web.to_string());
    /// Hosts that may be fetched although their address is private.
    allow_hosts: Vec<AllowedHost>, "research.allow_hosts", "GEMICRO_ALLOW_HOSTS", "--allow-host", readers::hosts,
        Vec::new(), |hosts: &Vec<AllowedHost>| list(hosts.iter().map(ToString::to_string).collect());
    max_queries: usize, "research.max_queries", "GEMICRO_MAX_QUERIES", "--max-queries", readers::max_queries,
        ResearchConfig::default().max_sub_queries, usize::to_string;
    /// Maximum number of output tokens of one call.
    max_tokens: u64, "research.max_tokens", "GEMICRO_MAX_TOKENS", "--max-tokens", readers::max_tokens,
        LlmConfig::default().max_output_tokens, u64::to_string;
    /// Maximum duration of one model call, in seconds.
    timeout: Option<u64>, "research.timeout", "GEMICRO_TIMEOUT", "--timeout", readers::timeout,
        None, show_timeout;
    /// Maximum time without output in one model call, in seconds.
    idle_timeout: u64, "research.idle_timeout", "GEMICRO_IDLE_TIMEOUT", "--idle-timeout", readers::idle_timeout,
        LlmConfig::default().idle_timeout_ms / 1_000, |seconds: &u64| format!("{seconds}s");
    /// Maximum number of simultaneous model calls.
    parallel: Option<usize>, "research.parallel", "GEMICRO_PARALLEL", "--parallel", readers::parallel,
        None, |n: &Option<usize>| n.map_or_else(|| "the backend's default".to_owned(), |n| n.to_string());
    /// Maximum number of model calls started per minute.
    per_minute: Option<u32>, "research.calls_per_minute", "GEMICRO_CALLS_PER_MINUTE", "--calls-per-minute", readers::per_minute,
        None, |n: &Option<u32>| n.map_or_else(|| "unlimited".to_owned(), |n| n.to_string());
    /// Maximum duration of the run.
    max_duration: Limits, "research.max_duration", "GEMICRO_MAX_DURATION", "--max-duration", readers::max_duration,
        Limits::NONE, Limits::to_string;
    /// The budget of the run.
    budget: Limits, "research.budget", "GEMICRO_BUDGET", "--budget", readers::budget,
        Limits::NONE, Limits::to_string;
}

impl ResearchSettings {
    /// Budget and time limit together.
    pub(crate) fn limits(&self) -> Result<Limits, CommandError> {
        let merged = Limits::merge_all([self.budget.value, self.max_duration.value]);
        merged.map_err(|error| {
            CommandError::usage(
                error.to_string(),
                "set the time limit with either --max-duration or --budget, not both",
            )
        })
    }

    /// Whether the user chose a backend or model.
    pub(crate) fn names_backend(&self) -> bool {
        let named = [&self.offline.origin, &self.backend.origin, &self.model.origin];
        named.iter().any(|origin| **origin != SettingOrigin::Default)
    }
}

fn show_timeout(seconds: &Option<u64>) -> String {
    let default = LlmConfig::default().timeout_ms / 1_000;
    format!("{}s", seconds.unwrap_or(default))
}

fn list(names: Vec<String>) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
