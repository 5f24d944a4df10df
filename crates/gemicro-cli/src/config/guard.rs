//! Additional permissions for agents: the `[guard]` section of the user's settings.
//!
//! A project's file is never used: the author of a repository must not decide what an agent may do there.

use std::path::{Path, PathBuf};

use gemicro_guard::policy::PolicyConfig;

use super::file::{ConfigFile, Owner};
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;
use crate::environment::Environment;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &[
    "guard.plain_programs",
    "guard.tools",
    "guard.git_subcommands",
    "guard.writable",
    "guard.readable",
    "guard.allow_amend",
    "guard.deny_web",
    "guard.provider_web",
];

/// The user's additions to the guard's rules.
#[derive(Debug, Clone)]
pub(crate) struct GuardSettings {
    policy: SettingValue<PolicyConfig>,
    file: Option<ConfigFile>,
}

impl GuardSettings {
    /// From the user's file only, which is all that a hook reads.
    pub(crate) fn of_user(environment: &Environment) -> Result<PolicyConfig, CommandError> {
        match ConfigFile::of_user(environment)? {
            Some(file) => policy(&file),
            None => Ok(PolicyConfig::default()),
        }
    }

    /// From a file that the user named.
    pub(crate) fn of_file(path: &Path) -> Result<PolicyConfig, CommandError> {
        let path = std::path::absolute(path)?;
        policy(&ConfigFile::of_path(path)?)
    }

    /// The same with its origin; such a section in a project's file is an error.
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        let named = |owner: Owner| {
            let mut files = layers.files.iter();
            files.find(|file| file.owner == owner && file.group("guard").is_some())
        };
        if let Some(file) = named(Owner::Project) {
            let message = format!(
                "{}, guard: a project cannot change what agents may do; use your own settings",
                file.origin()
            );
            return Err(CommandError::usage(message, "remove that section"));
        }
        let file = named(Owner::User).cloned();
        let (value, origin) = match &file {
            Some(file) => (policy(file)?, file.origin()),
            None => (PolicyConfig::default(), SettingOrigin::Default),
        };
        Ok(Self {
            policy: SettingValue { value, origin },
            file,
        })
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let PolicyConfig {
            plain_programs,
            tools,
            git_subcommands,
            writable,
            readable,
            allow_amend,
            deny_web,
            provider_web,
            settings_file: _,
        } = &self.policy.value;
        let paths = |paths: &[PathBuf]| list(paths.iter().map(|path| path.display().to_string()).collect());
        let values = [
            list(plain_programs.clone()),
            list(tools.clone()),
            list(git_subcommands.clone()),
            paths(writable),
            paths(readable),
            allow_amend.to_string(),
            deny_web.to_string(),
            provider_web.to_string(),
        ];
        let origin = |key: &str| match &self.file {
            Some(file) if file.get(key).is_some() => self.policy.origin.clone(),
            Some(_) | None => SettingOrigin::Default,
        };
        let rows = KEYS.iter().zip(values);
        rows.map(|(key, value)| (*key, value, origin(key))).collect()
    }
}

fn policy(file: &ConfigFile) -> Result<PolicyConfig, CommandError> {
    let Some(section) = file.group("guard") else {
        return Ok(PolicyConfig::default());
    };
    let refuse = |why: &str| {
        CommandError::usage(
            format!("{}, guard: {why}", file.origin()),
            "fix it there; docs/guard.md describes the section",
        )
    };
    // A misspelt key is an error, not a warning: what it should forbid would be allowed.
    let policy: PolicyConfig = section
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| refuse(error.message()))?;
    let names = [&policy.plain_programs, &policy.tools, &policy.git_subcommands];
    let is_odd =
        |name: &String| name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control());
    if let Some(name) = names.into_iter().flatten().find(|name| is_odd(name)) {
        return Err(refuse(&format!("`{name}` is not a valid name")));
    }
    let folders = policy.writable.iter().chain(&policy.readable);
    if let Some(folder) = folders.into_iter().find(|folder| !folder.is_absolute()) {
        return Err(refuse(&format!("`{}` is not an absolute path", folder.display())));
    }
    Ok(PolicyConfig {
        settings_file: Some(file.path.clone()),
        ..policy
    })
}

fn list(names: Vec<String>) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
