//! Where notifications go: `notify` and `[[webhook]]` in the user's settings.
//!
//! A project's file is never used: the author of a repository must not choose commands of the user or where reports
//! are sent.

use std::fs;
use std::os::unix::fs::MetadataExt;

use gemicro_engine::{NotifySettings, Webhook};
use serde::Deserialize;

use super::file::{ConfigFile, Owner};
use super::{Layers, SettingOrigin};
use crate::command_error::CommandError;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &["notify", "webhook"];

#[derive(Debug, Clone)]
pub(crate) struct NotifyConfig {
    pub(crate) settings: NotifySettings,
    /// The secrets of the webhooks, as written.
    pub(crate) secrets: Vec<String>,
    origin: SettingOrigin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookSection {
    url: String,
    secret: String,
    #[serde(default)]
    allow_private: bool,
}

impl NotifyConfig {
    /// From the user's file; these keys in a project's file are an error.
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        let has_keys = |file: &ConfigFile| KEYS.iter().any(|key| file.group(key).is_some());
        let named = |owner: Owner| {
            let mut files = layers.files.iter();
            files.find(|file| file.owner == owner && has_keys(file))
        };
        if let Some(file) = named(Owner::Project) {
            let message = format!(
                "{}, notify: a project cannot choose where notifications about your runs go; use your own settings",
                file.origin()
            );
            return Err(CommandError::usage(
                message,
                "remove `notify` and `[[webhook]]` there",
            ));
        }
        let mut config = Self {
            settings: NotifySettings::default(),
            secrets: Vec::new(),
            origin: SettingOrigin::Default,
        };
        if let Some(file) = named(Owner::User) {
            config.read(file)?;
        }
        config.settings.command_environment = layers.environment.for_notifications();
        Ok(config)
    }

    /// Lines for `config show`, without secrets and paths of URLs.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let origin = |is_set: bool| match is_set {
            true => self.origin.clone(),
            false => SettingOrigin::Default,
        };
        let command = &self.settings.command;
        let webhooks: Vec<String> = self.settings.webhooks.iter().map(Webhook::shown_url).collect();
        let shown = match webhooks.is_empty() {
            true => "none".to_owned(),
            false => webhooks.join(", "),
        };
        vec![
            (
                "notify",
                command.clone().unwrap_or_else(|| "none".to_owned()),
                origin(command.is_some()),
            ),
            ("webhook", shown, origin(!webhooks.is_empty())),
        ]
    }

    fn read(&mut self, file: &ConfigFile) -> Result<(), CommandError> {
        let refuse = |key: &str, why: &str, hint: &str| {
            Err(CommandError::usage(
                format!("{}, {key}: {why}", file.origin()),
                hint,
            ))
        };
        self.origin = file.origin();
        if let Some(command) = file.group("notify") {
            match command.as_str().map(str::trim) {
                Some(command) if !command.is_empty() => self.settings.command = Some(command.to_owned()),
                _ => {
                    return refuse(
                        "notify",
                        "expected a shell command",
                        "for example: notify = \"notify-send gemicro\"",
                    );
                }
            }
        }
        let Some(webhooks) = file.group("webhook") else {
            return Ok(());
        };
        let example = "for example: [[webhook]] url = \"https://example.com/hook\" secret = \"whsec_…\"";
        // The error of the parser would repeat the line, and so the secret.
        let Ok(webhooks) = webhooks.clone().try_into::<Vec<WebhookSection>>() else {
            let why = "expected the keys `url`, `secret` and, if needed, `allow_private`";
            return refuse("webhook", why, example);
        };
        let is_private = fs::metadata(&file.path).is_ok_and(|found| found.mode() & 0o077 == 0);
        if !webhooks.is_empty() && !is_private {
            let hint = format!("chmod 600 {}", file.path.display());
            return refuse("webhook", "other users can read the secret in this file", &hint);
        }
        for (idx, section) in webhooks.into_iter().enumerate() {
            match Webhook::new(&section.url, &section.secret, section.allow_private) {
                Ok(webhook) => self.settings.webhooks.push(webhook),
                Err(error) => return refuse(&format!("webhook {}", idx + 1), &error.to_string(), example),
            }
            self.secrets.push(section.secret);
        }
        Ok(())
    }
}
