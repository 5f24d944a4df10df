//! Coding agents as executors: where the runner, the gateway and the sandbox meet.
//!
//! [`AgentExecutor`] runs the steps of kind `agent_cli`. Its files, in the order of a step: `setup` (what the edge
//! knows: keys, logins, addresses), `work` (what is to be done), `executor` (steps, and what a crash left of them), `attempt` (one attempt: warm,
//! new, or given the earlier turns), `conversation_home`, `prepared_home` and `session_metadata` (folders of homes and sessions), `pool` (processes between
//! turns), `memory` (what was said), `launch_inputs` (gateway and walls), `workspace_settings` (what of the workspace is
//! not loaded), `login` (files of a login on their way in and back),
//! `attempt_watcher` (what the gateway
//! reports while the agent works), `submission` (results submitted through a tool), `recall_tool` (a tool that searches the conversation), `verdict` (what it came to), `folder_changed` (what it left in its
//! folder), `tripwire_report` (what else changed meanwhile), `messages` (what it printed). `text_backend` lets an agent answer prompts like a model. `shared_resources` is what several engines share.
//!
//! An agent on a branch works in a private repository: `branch` opens it and takes over what was committed (`branch_import`), `pipeline_branch` is what
//! a step of a pipeline needs of it. Every such step opens the branch at the commit that it must be at ([`branch_at`]), and most of them
//! make the private [`checkout`] anew first: nothing that an agent left beside its commits reaches another step but [`caches`], and
//! those of agents reach no check.

mod attempt;
mod attempt_watcher;
mod branch;
pub mod branch_at;
mod branch_import;
pub mod caches;
mod capabilities;
pub mod checkout;
mod conversation_home;
mod denials;
mod executor;
mod folder;
mod folder_changed;
mod launch_inputs;
mod login;
mod memory;
mod messages;
mod permission_prompter;
mod pipeline_branch;
mod pool;
mod prepared_home;
mod recall_tool;
mod session_lookup;
mod session_metadata;
mod setup;
mod shared_resources;
pub mod step_tools;
mod submission;
mod task_folder;
mod text_backend;
mod tools;
mod tripwire_report;
mod turn_result;
mod verdict;
mod work;
mod workspace_settings;

pub use branch::{OnBranch, look_at};
pub use branch_import::BranchImport;
pub use capabilities::Capabilities;
pub use conversation_home::has_no_session;
pub use executor::AgentExecutor;
pub use pool::WarmStatus;
pub use session_lookup::{KnownSession, find_session};
pub use setup::{AgentAccess, AgentSetup, Login, PolicyReader};
pub use shared_resources::SharedAgentResources;
pub use task_folder::to_failure;
pub use text_backend::{MAX_AGENTS, with_agents};
pub use tripwire_report::{StepWorkerKind, TripwireReport};
