//! Settings: flags, then environment, then the project's `gemicro.toml`, then the user's file, then defaults.
//!
//! One file per group of settings; [`Layers`] provides the values of a group. A value keeps its [`SettingOrigin`], so
//! that `gemicro config show` can print it.

mod agent;
mod chat;
mod coverage;
pub(crate) mod endpoints;
mod file;
mod forges;
mod guard;
mod layers;
mod notify;
mod origin;
pub(crate) mod readers;
pub(crate) mod research_defaults;
pub(crate) mod state_folder;
#[cfg(test)]
mod tests;

pub(crate) use agent::AgentSettings;
pub(crate) use chat::ChatSettings;
pub(crate) use coverage::CoverageSettings;
pub(crate) use endpoints::{BackendName, Endpoints};
pub(crate) use forges::ForgeSettings;
pub(crate) use guard::GuardSettings;
pub(crate) use layers::Layers;
pub(crate) use notify::NotifyConfig;
pub(crate) use origin::{SettingOrigin, SettingValue};
pub(crate) use research_defaults::{ResearchFlags, ResearchSettings};
pub(crate) use state_folder::StateFolder;
