//! What an engine is opened with.

use std::path::PathBuf;

use gemicro_agents::AgentSetup;
use gemicro_core::budget::Limits;
use gemicro_core::llm::Backends;
use gemicro_source::{FetchRules, ReaderProgram};

/// What an engine is opened with.
#[derive(Clone)]
pub struct EngineConfig {
    /// The state folder, which also holds the store where no address is given.
    pub home: PathBuf,
    /// The address of the store; without one it is in the state folder.
    pub store: Option<String>,
    /// Who drives, for people who find a run held: host and process.
    pub owner: String,
    /// Program and version, for the journal.
    pub program: String,
    /// The models that can be asked.
    pub llm: Backends,
    /// Under which rules pages are fetched.
    pub fetch: FetchRules,
    /// The program that reads PDF, office files, books and mail of sources; without it they are skipped.
    pub reader: Option<ReaderProgram>,
    /// What agents need; without it there are none.
    pub agents: Option<AgentSetup>,
    /// Values that must never be written down, beside those with the shape of a secret.
    pub secrets: Vec<String>,
    /// Several runs of this process share one reading of the same sources.
    pub share_sources: bool,
    /// Steps of one run at the same time.
    pub max_parallel: usize,
    /// The resident worker is to go on with runs that are cut off.
    pub resident: bool,
    /// All keys and endpoints, as one text: who goes on with a run of a worker must have the same.
    pub credentials: String,
    /// What all runs of the store that begin on one day may use; [`Limits::NONE`] for no such budget.
    pub day_budget: Limits,
}
