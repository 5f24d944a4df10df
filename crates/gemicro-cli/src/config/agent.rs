//! The setting for the default agent.

use gemicro_core::ask::AgentName;

use super::layers::{Spec, one};
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &["agent"];

const AGENT: Spec<Option<AgentName>> = Spec {
    key: "agent",
    variable: "GEMICRO_AGENT",
    flag: "--agent",
    read: |written| parse(one(written)?).map(Some),
};

/// The agent of `ask`, `run` and `chat`.
#[derive(Debug, Clone)]
pub(crate) struct AgentSettings {
    /// Absent to choose by which agents are ready.
    pub(crate) agent: SettingValue<Option<AgentName>>,
}

impl AgentSettings {
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        Ok(Self {
            agent: layers.pick(&AGENT, None, None)?,
        })
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let shown = self.agent.value.map_or("auto", AgentName::as_str);
        vec![("agent", shown.to_owned(), self.agent.origin.clone())]
    }
}

fn parse(text: &str) -> Result<AgentName, String> {
    let found = AgentName::ALL
        .into_iter()
        .find(|agent| agent.as_str() == text.trim());
    let known = AgentName::ALL.map(AgentName::as_str).join(", ");
    found.ok_or_else(|| format!("`{text}` is not an agent; use one of {known}"))
}
