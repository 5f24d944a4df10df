//! The script file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::identity::AgentIdentity;
use super::step::{Play, ScriptStep, ScriptSteps};
use super::units::Pause;
use crate::scenario::yaml;

/// The script of a fake agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentScript {
    /// The CLI that it imitates, for the answer to `--version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentIdentity>,
    /// The version that it prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its steps. It exits with code 0 after the last one.
    pub steps: ScriptSteps,
}

/// A script that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ScriptError {
    /// The text is not a script. `line` and `column` start at 1.
    #[error("{file}:{line}:{column}: {message}")]
    Invalid {
        /// Name of the text, for errors.
        file: String,
        /// Line of the invalid value.
        line: u64,
        /// Column of the invalid value.
        column: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the script {file}: {source}")]
    Unreadable { file: String, source: std::io::Error },
}

impl AgentScript {
    /// Parses a script; `file` is its name in errors. No other file is opened.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScriptError> {
        yaml::parse(text, "a script").map_err(|wrong| ScriptError::Invalid {
            file: file.to_owned(),
            line: wrong.line,
            column: wrong.column,
            message: wrong.message,
        })
    }

    /// Reads a script file. Files that it plays are relative to it.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|source| ScriptError::Unreadable {
            file: file.clone(),
            source,
        })?;
        let mut script = Self::parse(&file, &text)?;
        let folder = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        place_files(&mut script.steps, folder.parent().unwrap_or(Path::new("")));
        Ok(script)
    }

    /// Returns a script that prints the lines of a capture and exits.
    #[must_use]
    pub fn of_capture(capture: PathBuf, delay: Pause) -> Self {
        let play = Play {
            file: capture,
            first: None,
            last: None,
            delay,
            delays: Vec::new(),
            replace: std::collections::BTreeMap::new(),
        };
        Self {
            agent: None,
            version: None,
            steps: vec![ScriptStep::Play(play)],
        }
    }
}

fn place_files(steps: &mut ScriptSteps, folder: &Path) {
    for step in steps {
        match step {
            ScriptStep::Play(play) => play.file = folder.join(&play.file),
            ScriptStep::Child(child) => place_files(&mut child.steps, folder),
            ScriptStep::Daemon(daemon) => place_files(&mut daemon.steps, folder),
            ScriptStep::Exec(steps) => place_files(steps, folder),
            ScriptStep::Repeat(repeat) => place_files(&mut repeat.steps, folder),
            ScriptStep::When(when) => {
                place_files(&mut when.steps, folder);
                place_files(&mut when.otherwise, folder);
            }
            ScriptStep::Print(_)
            | ScriptStep::Stderr(_)
            | ScriptStep::Write(_)
            | ScriptStep::Bytes(_)
            | ScriptStep::Flood(_)
            | ScriptStep::Read(_)
            | ScriptStep::Close(_)
            | ScriptStep::Sleep(_)
            | ScriptStep::Hang(_)
            | ScriptStep::Ignore(_)
            | ScriptStep::Signal(_)
            | ScriptStep::Exit(_)
            | ScriptStep::Shell(_)
            | ScriptStep::Background(_)
            | ScriptStep::Create(_)
            | ScriptStep::Append(_)
            | ScriptStep::Replace(_)
            | ScriptStep::Remove(_)
            | ScriptStep::Report(_)
            | ScriptStep::Http(_)
            | ScriptStep::Session(_)
            | ScriptStep::Fork(_) => {}
        }
    }
}
