//! One settings file: finds it, reads it, and checks it for unknown keys and for secrets.

use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

use gemicro_event::ErrorKind;
use gemicro_event::redact::Redactor;

use super::SettingOrigin;
use crate::command_error::CommandError;
use crate::environment::Environment;

/// Name of a project's file.
const PROJECT_FILE: &str = "gemicro.toml";
/// Words in a key that indicate a secret.
const SECRET_WORDS: [&str; 5] = ["api_key", "apikey", "token", "secret", "password"];

/// The owner of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Project,
    User,
}

/// A settings file that was read.
#[derive(Debug, Clone)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) owner: Owner,
    table: toml::Table,
}

impl ConfigFile {
    /// The project's file: `gemicro.toml` here or in a parent folder, up to the folder that contains `.git`.
    pub(super) fn of_project(environment: &Environment) -> Result<Option<Self>, CommandError> {
        for folder in environment.folder.ancestors() {
            let path = folder.join(PROJECT_FILE);
            if path.is_file() {
                return Self::read(path, Owner::Project).map(Some);
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    pub(super) fn of_user(environment: &Environment) -> Result<Option<Self>, CommandError> {
        let Some(path) = user_path(environment) else {
            return Ok(None);
        };
        // Any other error must be reported: the file may contain restrictions by the user.
        let is_absent = fs::symlink_metadata(&path)
            .is_err_and(|error| matches!(error.kind(), IoErrorKind::NotFound | IoErrorKind::NotADirectory));
        if is_absent {
            Ok(None)
        } else {
            Self::read(path, Owner::User).map(Some)
        }
    }

    /// A file that the user named.
    pub(super) fn of_path(path: PathBuf) -> Result<Self, CommandError> {
        Self::read(path, Owner::User)
    }

    fn read(path: PathBuf, owner: Owner) -> Result<Self, CommandError> {
        let text = fs::read_to_string(&path).map_err(|error| {
            let kind = match error.kind() {
                IoErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                _ => ErrorKind::InvalidInput,
            };
            let hint = "fix the file, or move it away";
            CommandError::new_failure(kind, format!("{} cannot be read: {error}", path.display()), hint)
        })?;
        Self::parse(path, owner, &text)
    }

    /// Parses the text of a file.
    pub(super) fn parse(path: PathBuf, owner: Owner, text: &str) -> Result<Self, CommandError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| {
                text[..span.start.min(text.len())].matches('\n').count() + 1
            });
            let message = format!("{} line {line}: {}", path.display(), error.message());
            CommandError::usage(message, "fix the file; `gemicro config show` lists all keys")
        })?;
        let file = Self { path, owner, table };
        file.refuse_secrets()?;
        Ok(file)
    }

    /// The value of `group.key`, or of a key without a group.
    pub(super) fn get(&self, key: &str) -> Option<&toml::Value> {
        match key.split_once('.') {
            Some((group, name)) => self.table.get(group)?.as_table()?.get(name),
            None => self.table.get(key),
        }
    }

    pub(super) fn group(&self, name: &str) -> Option<&toml::Value> {
        self.table.get(name)
    }

    /// The origin of values from this file.
    pub(super) fn origin(&self) -> SettingOrigin {
        match self.owner {
            Owner::Project => SettingOrigin::ProjectFile(self.path.clone()),
            Owner::User => SettingOrigin::UserFile(self.path.clone()),
        }
    }

    /// The folder that relative paths in the file start from.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// One warning for each key that is not in `known`.
    pub(super) fn warnings(&self, known: &[&str]) -> Vec<String> {
        let keys = self.keys();
        let unknown = keys.iter().filter(|key| !known.contains(&key.as_str()));
        unknown
            .map(|key| {
                let nearest = known
                    .iter()
                    .min_by_key(|known| strsim::damerau_levenshtein(known, key));
                let name = key.rsplit('.').next().unwrap_or(key);
                let near =
                    nearest.filter(|near| strsim::damerau_levenshtein(near, key) <= name.len().div_ceil(3));
                let advice = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                format!("{}: unknown key `{key}`{advice}", self.path.display())
            })
            .collect()
    }

    fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for (group, value) in &self.table {
            match value.as_table() {
                Some(table) => keys.extend(table.keys().map(|key| format!("{group}.{key}"))),
                None => keys.push(group.clone()),
            }
        }
        keys
    }

    /// Refuses secrets: a file is copied, shared and committed.
    fn refuse_secrets(&self) -> Result<(), CommandError> {
        let redactor = Redactor::new(std::iter::empty::<&str>());
        let is_secret = |key: &str, value: &toml::Value| {
            let key = key.to_ascii_lowercase().replace('-', "_");
            let name = key.rsplit('.').next().unwrap_or(&key);
            let is_named_so = value.is_str() && SECRET_WORDS.iter().any(|word| name.contains(word));
            let has_the_shape = value.as_str().is_some_and(|text| redactor.redact(text) != text);
            is_named_so || has_the_shape
        };
        for (group, value) in &self.table {
            let found = match value.as_table() {
                Some(table) => table
                    .iter()
                    .find(|(key, value)| is_secret(key, value))
                    .map(|(key, _)| format!("{group}.{key}")),
                None => is_secret(group, value).then(|| group.clone()),
            };
            if let Some(key) = found {
                let message = format!(
                    "{}: `{key}` looks like a secret; gemicro does not read secrets from files",
                    self.path.display()
                );
                return Err(CommandError::usage(
                    message,
                    "remove it from the file and `export GEMINI_API_KEY=…` instead",
                ));
            }
        }
        Ok(())
    }
}

/// The path of the user's file, which may not exist.
pub(super) fn user_path(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.folder_in("XDG_CONFIG_HOME");
    let folder = folder.or_else(|| environment.folder_in("HOME").map(|home| home.join(".config")));
    folder.map(|folder| folder.join("gemicro").join("config.toml"))
}
