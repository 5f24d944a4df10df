//! All sources of settings, in order of precedence.

use std::path::{Path, PathBuf};

use super::file::{ConfigFile, Owner};
use super::{
    SettingOrigin, SettingValue, agent, chat, coverage, endpoints, forges, guard, notify, research_defaults,
    state_folder,
};
use crate::command_error::CommandError;
use crate::environment::Environment;

/// A value as written, before its group parses it.
#[derive(Debug)]
pub(super) struct RawSetting {
    /// The strings: one, or several for a list.
    pub(super) texts: Vec<String>,
    /// The folder that relative paths start from.
    pub(super) folder: PathBuf,
    /// Whether it is from a project's file, which the author of the project controls.
    pub(super) by_project: bool,
}

/// The name and parser of one setting.
pub(super) struct Spec<T> {
    pub(super) key: &'static str,
    pub(super) variable: &'static str,
    pub(super) flag: &'static str,
    /// Parses and checks it.
    pub(super) read: fn(&RawSetting) -> Result<T, String>,
}

/// The environment and the files.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(super) environment: Environment,
    pub(super) files: Vec<ConfigFile>,
}

impl Layers {
    /// Finds and reads the files.
    pub(crate) fn load(environment: &Environment) -> Result<Self, CommandError> {
        let mut files = Vec::new();
        files.extend(ConfigFile::of_project(environment)?);
        files.extend(ConfigFile::of_user(environment)?);
        Ok(Self {
            environment: environment.clone(),
            files,
        })
    }

    /// Warnings about the files.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let known: Vec<&str> = state_folder::KEYS
            .iter()
            .chain(agent::KEYS)
            .chain(research_defaults::KEYS)
            .chain(endpoints::KEYS)
            .chain(guard::KEYS)
            .chain(chat::KEYS)
            .chain(coverage::KEYS)
            .chain(forges::KEYS)
            .chain(notify::KEYS)
            .copied()
            .collect();
        self.files.iter().flat_map(|file| file.warnings(&known)).collect()
    }

    /// The files that were read.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// The value of a setting with the highest precedence.
    pub(super) fn pick<T>(
        &self,
        spec: &Spec<T>,
        flag: Option<T>,
        default: T,
    ) -> Result<SettingValue<T>, CommandError> {
        if let Some(value) = flag {
            return Ok(SettingValue {
                value,
                origin: SettingOrigin::Flag(spec.flag),
            });
        }
        let Some((written, origin)) = self.written_setting(spec)? else {
            return Ok(SettingValue {
                value: default,
                origin: SettingOrigin::Default,
            });
        };
        match (spec.read)(&written) {
            Ok(value) => Ok(SettingValue { value, origin }),
            Err(message) => Err(match origin {
                SettingOrigin::Flag(flag) => {
                    CommandError::usage(format!("{flag}: {message}"), format!("fix the value of {flag}"))
                }
                origin => CommandError::usage(
                    format!("{origin}, {}: {message}", spec.key),
                    if spec.flag.is_empty() {
                        "fix it there"
                    } else {
                        "fix it there, or use an option instead"
                    },
                ),
            }),
        }
    }

    fn written_setting<T>(
        &self,
        spec: &Spec<T>,
    ) -> Result<Option<(RawSetting, SettingOrigin)>, CommandError> {
        let (key, variable) = (spec.key, spec.variable);
        if let Some(text) = self.environment.get(variable) {
            let folder = self.environment.folder.clone();
            let written = RawSetting {
                texts: vec![text.to_owned()],
                folder,
                by_project: false,
            };
            let origin = match self.environment.is_by_flag(variable) {
                true => SettingOrigin::Flag(spec.flag),
                false => SettingOrigin::Environment(variable),
            };
            return Ok(Some((written, origin)));
        }
        for file in &self.files {
            if let Some(value) = file.get(key) {
                let texts = texts(value).ok_or_else(|| {
                    let message = format!(
                        "{}, {key}: {value} is not a text, a number or a list of them",
                        file.origin()
                    );
                    CommandError::usage(message, "fix it there")
                })?;
                let by_project = file.owner == Owner::Project;
                return Ok(Some((
                    RawSetting {
                        texts,
                        folder: file.folder().to_owned(),
                        by_project,
                    },
                    file.origin(),
                )));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
impl Layers {
    /// Layers for a test: variables, and the contents of a project's and a user's file.
    pub(super) fn of(environment: Environment, project: &str, user: &str) -> Result<Self, CommandError> {
        let files = vec![
            ConfigFile::parse("/project/gemicro.toml".into(), Owner::Project, project)?,
            ConfigFile::parse("/user/config.toml".into(), Owner::User, user)?,
        ];
        Ok(Self { environment, files })
    }
}

fn texts(value: &toml::Value) -> Option<Vec<String>> {
    match value {
        toml::Value::Array(values) => values.iter().map(text).collect(),
        value => text(value).map(|text| vec![text]),
    }
}

fn text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(is_on) => Some(is_on.to_string()),
        toml::Value::Datetime(_) | toml::Value::Array(_) | toml::Value::Table(_) => None,
    }
}

/// A value that must be a single string.
pub(super) fn one(written: &RawSetting) -> Result<&str, String> {
    match written.texts.as_slice() {
        [text] => Ok(text),
        _ => Err("expected one value, not a list".to_owned()),
    }
}
