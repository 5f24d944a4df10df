//! The scenario file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::builtin;
use super::error::ScenarioError;
use super::rule::{RuleAction, ScenarioRule};
use super::yaml;

/// The answers of a simulator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name of the scenario.
    #[serde(rename = "scenario")]
    pub name: String,
    /// Its purpose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What happens to a request that no rule matches.
    #[serde(default)]
    pub otherwise: DefaultReply,
    /// Model ids besides those of the data file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Rules; the first match decides.
    #[serde(default)]
    pub rules: Vec<ScenarioRule>,
}

/// What happens to a request that no rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultReply {
    /// Status 400, so that a test notices unexpected requests.
    #[default]
    Refuse,
    /// A short answer, as from the persona `helper`.
    Answer,
}

impl Scenario {
    /// Parses a scenario; `file` is its name in errors. No other file is opened.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        yaml::parse(text, "a scenario").map_err(|wrong| ScenarioError::Invalid {
            file: file.to_owned(),
            line: wrong.line,
            column: wrong.column,
            message: wrong.message,
        })
    }

    /// Reads a scenario file, and the files that it refers to.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|source| ScenarioError::Unreadable {
            file: file.clone(),
            source,
        })?;
        let mut scenario = Self::parse(&file, &text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for rule in &mut scenario.rules {
            if let RuleAction::Answer { reply, .. } = &mut rule.action
                && let Some(knowledge) = &mut reply.knows
            {
                knowledge.read(folder)?;
            }
        }
        Ok(scenario)
    }

    /// Returns a built-in scenario: see [`super::BUILTIN`].
    pub fn builtin(name: &str) -> Result<Self, ScenarioError> {
        let found = builtin::BUILTIN.iter().find(|(known, _)| *known == name);
        let Some((known, text)) = found else {
            let names: Vec<&str> = builtin::BUILTIN.iter().map(|(known, _)| *known).collect();
            return Err(ScenarioError::UnknownBuiltin {
                name: name.to_owned(),
                known: names.join(", "),
            });
        };
        Self::parse(known, text)
    }

    /// Returns the scenario as YAML.
    pub fn to_yaml(&self) -> Result<String, ScenarioError> {
        serde_saphyr::to_string(self).map_err(|error| ScenarioError::Unwritable(error.to_string()))
    }
}
