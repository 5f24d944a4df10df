//! The raw workflow file: strict types with positions, not yet checked.
//!
//! The main type is [`WorkflowFile`]. `parse` and `check` interpret and check the values.

use gemicro_core::ask::AgentName;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::capability::WantedTool;
use super::entries::KeyEntries;
use super::model::{NetworkRule, Writes};
use super::values::{MicroUsd, Milliseconds};
use crate::payload::PayloadShape;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowFile {
    pub(super) workflow: Spanned<String>,
    pub(super) version: Spanned<u32>,
    pub(super) modes: Spanned<KeyEntries<Spanned<String>>>,
    pub(super) roles: KeyEntries<RoleFile>,
    pub(super) phases: Vec<PhaseFile>,
    /// Maximum rounds of phases that do not set their own.
    #[serde(default)]
    pub(super) rounds: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) checks: Vec<CheckFile>,
    #[serde(default)]
    pub(super) setup: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) carry: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) caches: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) network: NetworkRule,
    #[serde(default)]
    pub(super) max_asks: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) memory_tokens: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoleFile {
    pub(super) title: Spanned<String>,
    pub(super) shape: Spanned<PayloadShape>,
    #[serde(default)]
    pub(super) agent: Option<Spanned<AgentName>>,
    #[serde(default)]
    pub(super) model: Option<Spanned<String>>,
    pub(super) sandbox: Spanned<Writes>,
    #[serde(default)]
    pub(super) tools: Vec<Spanned<WantedTool>>,
    pub(super) prompt: Spanned<String>,
    #[serde(default)]
    pub(super) budget: BudgetFile,
    #[serde(default)]
    pub(super) timeouts: TimeoutsFile,
}

/// Budget of one step of a role.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetFile {
    #[serde(default)]
    pub(super) max_tokens: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) max_usd: Option<MicroUsd>,
    #[serde(default)]
    pub(super) max_turns: Option<Spanned<u64>>,
}

/// Maximum duration and maximum silence of one step of a role.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TimeoutsFile {
    #[serde(default)]
    pub(super) total: Option<Milliseconds>,
    #[serde(default)]
    pub(super) idle: Option<Spanned<Milliseconds>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PhaseFile {
    pub(super) name: Spanned<String>,
    pub(super) label: Spanned<String>,
    #[serde(default)]
    pub(super) role: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) action: Option<Spanned<PhaseAction>>,
    #[serde(default)]
    pub(super) reads: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) document: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) next: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) on: Option<Spanned<KeyEntries<Spanned<String>>>>,
    #[serde(default)]
    pub(super) rounds: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) human: Option<Spanned<String>>,
}

/// Phases in which gemicro itself does the work.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PhaseAction {
    Merge,
    Deliver,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckFile {
    pub(super) name: Spanned<String>,
    pub(super) command: String,
    #[serde(default)]
    pub(super) tests: bool,
    #[serde(default)]
    pub(super) timeout: Option<Milliseconds>,
}
