//! Hosts that are forges: the `[forge.hosts]` section of the user's settings.
//!
//! A project's file is never used: tokens are sent to these hosts, and the author of a repository must not choose them.

use std::collections::BTreeMap;

use gemicro_engine::pipeline::Forges;
use gemicro_engine::pipeline::forge::{ForgeHosts, ForgeKind, ForgeToken};
use serde::Deserialize;

use super::file::{ConfigFile, Owner};
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;
use crate::environment::{Environment, FORGES};

/// The keys of this group in files. Never a token: those come from the environment only.
pub(super) const KEYS: &[&str] = &["forge.hosts"];

/// The hosts that the user named.
#[derive(Debug, Clone)]
pub(crate) struct ForgeSettings {
    hosts: SettingValue<ForgeHosts>,
    shown: Vec<String>,
}

/// The section as written in a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForgesSection {
    #[serde(default)]
    hosts: BTreeMap<String, Host>,
}

/// The settings of one host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    kind: ForgeKind,
    #[serde(default)]
    api: Option<String>,
}

impl ForgeSettings {
    /// From the user's file; such a section in a project's file is an error.
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        let named = |owner: Owner| {
            let mut files = layers.files.iter();
            files.find(|file| file.owner == owner && file.group("forge").is_some())
        };
        if let Some(file) = named(Owner::Project) {
            let message = format!(
                "{}, forge: a project cannot choose where your tokens are sent; use your own settings",
                file.origin()
            );
            return Err(CommandError::usage(message, "remove that section"));
        }
        match named(Owner::User) {
            Some(file) => read(file),
            None => Ok(Self {
                hosts: SettingValue {
                    value: ForgeHosts::default(),
                    origin: SettingOrigin::Default,
                },
                shown: Vec::new(),
            }),
        }
    }

    /// The hosts, together with the tokens in the environment.
    pub(crate) fn forges(&self, environment: &Environment) -> Forges {
        let tokens = FORGES.into_iter().filter_map(|kind| {
            let token = environment.forge_token(kind).and_then(ForgeToken::new)?;
            Some((kind, token))
        });
        Forges {
            hosts: self.hosts.value.clone(),
            tokens: tokens.collect(),
        }
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let shown = match self.shown.is_empty() {
            true => "the public ones".to_owned(),
            false => self.shown.join(", "),
        };
        vec![(KEYS[0], shown, self.hosts.origin.clone())]
    }
}

fn read(file: &ConfigFile) -> Result<ForgeSettings, CommandError> {
    let refuse = |why: &str| {
        CommandError::usage(
            format!("{}, forge: {why}", file.origin()),
            "fix it there, for example: [forge.hosts.\"git.example.com\"] kind = \"gitlab\"",
        )
    };
    let section = file.group("forge").cloned();
    let section: ForgesSection = section
        .map_or_else(|| Ok(ForgesSection::default()), toml::Value::try_into)
        .map_err(|error: toml::de::Error| refuse(error.message()))?;
    let mut hosts = ForgeHosts::default();
    let mut shown = Vec::new();
    for (name, host) in &section.hosts {
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '/') {
            return Err(refuse(&format!("`{name}` is not the name of a host")));
        }
        hosts = hosts
            .name(name, host.kind, host.api.as_deref())
            .map_err(|error| refuse(&error.to_string()))?;
        shown.push(format!("{name} ({})", host.kind));
    }
    Ok(ForgeSettings {
        hosts: SettingValue {
            value: hosts,
            origin: file.origin(),
        },
        shown,
    })
}
