//! The configuration of an engine.

use std::path::PathBuf;

use gemicro_agents::AgentSetup;
use gemicro_core::budget::Limits;
use gemicro_core::llm::Backends;
use gemicro_source::{FetchRules, ReaderProgram};

use crate::notifications::NotifySetup;

/// The configuration of an engine.
#[derive(Clone)]
pub struct EngineConfig {
    /// The state folder; it also contains the store if no address is given.
    pub home: PathBuf,
    /// The address of the store; `None` for the one in the state folder.
    pub store: Option<String>,
    /// Name of the driver, shown for runs that it holds: host and process.
    pub owner: String,
    /// Program and version, for the journal.
    pub program: String,
    /// The available models.
    pub llm: Backends,
    /// The rules for fetching pages.
    pub fetch: FetchRules,
    /// The program that reads PDF, office files, books and mail; without it, such sources are skipped.
    pub reader: Option<ReaderProgram>,
    /// The setup of agents; `None` for no agents.
    pub agents: Option<AgentSetup>,
    /// Values that must never be written down, besides those that look like secrets.
    pub secrets: Vec<String>,
    /// Whether runs of this process share what was read from the same sources.
    pub share_sources: bool,
    /// Maximum number of concurrent steps of a run.
    pub max_parallel: usize,
    /// Whether the background worker resumes interrupted runs.
    pub resident: bool,
    /// All keys and endpoints, as one text; another worker needs the same to resume a run.
    pub credentials: String,
    /// The budget of all runs started on one day; [`Limits::NONE`] for none.
    pub day_budget: Limits,
    /// Where notifications about runs go; `None` for no notifications.
    pub notify: Option<NotifySetup>,
}
