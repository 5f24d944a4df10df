//! The script file as a whole.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::identity::Identity;
use super::step::{Play, Step, Steps};
use super::units::Pause;
use crate::scenario::yaml;

/// What a fake agent does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The CLI that it pretends to be: what answers `--version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Identity>,
    /// The version that it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it does. It ends with code 0 after the last step.
    pub steps: Steps,
}

/// A script that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The text is not a script. `line` and `column` start at 1.
    #[error("{file}:{line}:{column}: {message}")]
    Invalid {
        /// The name the text was given.
        file: String,
        /// Where the offending value stands.
        line: u64,
        /// Where the offending value stands.
        column: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the script {file}: {source}")]
    Unreadable {
        /// Its path.
        file: String,
        /// Why.
        source: std::io::Error,
    },
}

impl Script {
    /// Reads a script from text; `file` is its name in errors. No other file is opened.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScriptError> {
        yaml::parse(text, "a script").map_err(|wrong| ScriptError::Invalid {
            file: file.to_owned(),
            line: wrong.line,
            column: wrong.column,
            message: wrong.message,
        })
    }

    /// Reads a script file. Files that it plays are looked for beside it.
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

    /// A script that prints the lines of a capture and ends.
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
            steps: vec![Step::Play(play)],
        }
    }
}

fn place_files(steps: &mut Steps, folder: &Path) {
    for step in steps {
        match step {
            Step::Play(play) => play.file = folder.join(&play.file),
            Step::Child(child) => place_files(&mut child.steps, folder),
            Step::Daemon(daemon) => place_files(&mut daemon.steps, folder),
            Step::Exec(steps) => place_files(steps, folder),
            Step::Repeat(repeat) => place_files(&mut repeat.steps, folder),
            Step::When(when) => {
                place_files(&mut when.steps, folder);
                place_files(&mut when.otherwise, folder);
            }
            Step::Print(_)
            | Step::Stderr(_)
            | Step::Write(_)
            | Step::Bytes(_)
            | Step::Flood(_)
            | Step::Read(_)
            | Step::Close(_)
            | Step::Sleep(_)
            | Step::Hang(_)
            | Step::Ignore(_)
            | Step::Signal(_)
            | Step::Exit(_)
            | Step::Shell(_)
            | Step::Background(_)
            | Step::Create(_)
            | Step::Append(_)
            | Step::Replace(_)
            | Step::Remove(_)
            | Step::Report(_)
            | Step::Http(_)
            | Step::Session(_)
            | Step::Fork(_) => {}
        }
    }
}
