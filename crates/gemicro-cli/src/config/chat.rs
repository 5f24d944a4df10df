//! Settings for chats.

use gemicro_core::history::HistoryConfig;

use super::layers::{RawSetting, Spec, one};
use super::readers::parse_prompt_tokens;
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &["chat.model", "chat.summariser", "chat.max_tokens"];

const MODEL: Spec<Option<String>> = Spec {
    key: "chat.model",
    variable: "GEMICRO_CHAT_MODEL",
    flag: "--model",
    read: read_name,
};

const SUMMARISER: Spec<Option<String>> = Spec {
    key: "chat.summariser",
    variable: "GEMICRO_SUMMARISER",
    flag: "--summariser",
    read: read_name,
};

const MAX_TOKENS: Spec<u64> = Spec {
    key: "chat.max_tokens",
    variable: "GEMICRO_CHAT_MAX_TOKENS",
    flag: "--max-tokens",
    read: |written| parse_prompt_tokens(one(written)?),
};

/// The settings of a chat.
#[derive(Debug, Clone)]
pub(crate) struct ChatSettings {
    /// The agent or model that answers.
    pub(crate) model: SettingValue<Option<String>>,
    /// The model for summaries, `none`, or by default any that is available.
    pub(crate) summariser: SettingValue<Option<String>>,
    /// Maximum length of the prompt, in tokens.
    pub(crate) max_tokens: SettingValue<u64>,
}

impl ChatSettings {
    /// Resolves the settings; flags take precedence.
    pub(crate) fn resolve(
        layers: &Layers,
        model: Option<String>,
        summariser: Option<String>,
        max_tokens: Option<u64>,
    ) -> Result<Self, CommandError> {
        let usual = HistoryConfig::default().max_prompt_tokens;
        Ok(Self {
            model: layers.pick(&MODEL, model.map(Some), None)?,
            summariser: layers.pick(&SUMMARISER, summariser.map(Some), None)?,
            max_tokens: layers.pick(&MAX_TOKENS, max_tokens, usual)?,
        })
    }

    /// The settings of prompts with this limit.
    pub(crate) fn history(max_tokens: u64) -> HistoryConfig {
        let usual = HistoryConfig::default();
        HistoryConfig {
            max_prompt_tokens: max_tokens,
            // Who asks for longer prompts means it.
            hard_max_tokens: usual.hard_max_tokens.max(max_tokens),
            ..usual
        }
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let name = |name: &Option<String>, default: &str| name.clone().unwrap_or_else(|| default.to_owned());
        vec![
            (
                "chat.model",
                name(&self.model.value, "the default agent"),
                self.model.origin.clone(),
            ),
            (
                "chat.summariser",
                name(&self.summariser.value, "auto"),
                self.summariser.origin.clone(),
            ),
            (
                "chat.max_tokens",
                self.max_tokens.value.to_string(),
                self.max_tokens.origin.clone(),
            ),
        ]
    }
}

fn read_name(written: &RawSetting) -> Result<Option<String>, String> {
    match one(written)?.trim() {
        "" => Err("the name is empty".to_owned()),
        name => Ok(Some(name.to_owned())),
    }
}
