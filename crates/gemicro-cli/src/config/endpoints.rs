//! The URLs of model providers.

use std::fmt;
use std::str::FromStr;

use gemicro_core::ask::AgentName;

use super::layers::Spec;
use super::readers;
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;

/// The keys of this group in files. Never an API key: those come from the environment only.
pub(super) const KEYS: &[&str] = &["gemini.base_url", "openai.base_url", "anthropic.base_url"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BackendName {
    /// The Gemini API; needs GEMINI_API_KEY
    Gemini,
    /// A server that speaks the OpenAI API, such as Ollama, llama.cpp or vLLM; needs OPENAI_BASE_URL
    Openai,
    /// Google's own Deep Research agent; needs GEMINI_API_KEY
    DeepResearch,
    /// Gemini CLI answers each call, in a read-only sandbox
    GeminiCli,
    /// Claude Code answers each call, in a read-only sandbox
    Claude,
    /// Codex answers each call, in a read-only sandbox
    Codex,
    /// No model: answers are quoted from the sources
    Offline,
}

impl BackendName {
    /// Its name in settings and flags.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Openai => "openai",
            Self::DeepResearch => "deep-research",
            Self::GeminiCli => AgentName::Gemini.backend(),
            Self::Claude => AgentName::Claude.backend(),
            Self::Codex => AgentName::Codex.backend(),
            Self::Offline => "offline",
        }
    }
}

impl fmt::Display for BackendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for BackendName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = <Self as clap::ValueEnum>::value_variants();
        let found = all.iter().copied().find(|name| name.as_str() == text.trim());
        found.ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|name| name.as_str()).collect();
            format!("`{text}` is not a backend; use one of {}", known.join(", "))
        })
    }
}

/// The URLs of model providers.
#[derive(Debug, Clone)]
pub(crate) struct Endpoints {
    /// The Gemini API, if it is not Google's own.
    pub(crate) gemini: SettingValue<Option<String>>,
    /// A server with the OpenAI API.
    pub(crate) openai: SettingValue<Option<String>>,
    /// The Anthropic API, if it is not Anthropic's own.
    pub(crate) anthropic: SettingValue<Option<String>>,
}

impl Endpoints {
    /// Takes the value with the highest precedence for each.
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        let spec = |key, variable| Spec {
            key,
            variable,
            flag: "",
            read: readers::endpoint,
        };
        Ok(Self {
            gemini: layers.pick(&spec(KEYS[0], "GOOGLE_GEMINI_BASE_URL"), None, None)?,
            openai: layers.pick(&spec(KEYS[1], "OPENAI_BASE_URL"), None, None)?,
            anthropic: layers.pick(&spec(KEYS[2], "ANTHROPIC_BASE_URL"), None, None)?,
        })
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let show = |url: &Option<String>, without: &str| url.clone().unwrap_or_else(|| without.to_owned());
        vec![
            (
                KEYS[0],
                show(&self.gemini.value, "Google"),
                self.gemini.origin.clone(),
            ),
            (
                KEYS[1],
                show(&self.openai.value, "none"),
                self.openai.origin.clone(),
            ),
            (
                KEYS[2],
                show(&self.anthropic.value, "Anthropic"),
                self.anthropic.origin.clone(),
            ),
        ]
    }
}
