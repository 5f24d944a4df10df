//! Coding agents as executors: connects the runner, the gateway and the sandbox.
//!
//! [`AgentExecutor`] runs the steps of kind `agent_cli`. Its files, in the order of a step: `setup` (keys, logins,
//! addresses), `work` (the task), `executor` (runs steps, and handles interrupted ones),
//! `agent_slot` and `port_block` (how many work at once, and ports for each), `attempt` (one attempt: warm,
//! new, or given the earlier turns), `conversation_home`, `prepared_home` and `session_metadata` (folders of homes and
//! sessions), `pool` (processes between turns), `memory` (earlier turns), `launch_inputs` (gateway and sandbox),
//! `workspace_settings` (settings in the workspace that are not loaded), `login` (copies of login files),
//! `attempt_watcher` (watches the agent's output and the gateway), `submission` (results submitted through a tool),
//! `recall_tool` (a tool that searches the conversation), `verdict` (result and cost), `folder_changed` (changes in its
//! folder), `tripwire_report` (other changes in the repository), `messages` (its output),
//! `owner_notes` (the owner's notes, read again before a step). `text_backend` lets an agent
//! answer prompts like a model. `shared_resources` is shared by several engines.
//!
//! An agent on a branch works in a private repository: `branch` opens it and imports the commits (`branch_import`),
//! `pipeline_branch` adds what a step of a pipeline needs, `task_removal` and `task_pruning` remove it. Every such step opens the branch at the expected commit
//! ([`branch_at`]), and most of them first recreate the private [`checkout`]: besides commits, only [`caches`] pass
//! from an agent to another step, and never to a check.

mod agent_slot;
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
mod owner_notes;
mod permission_prompter;
mod pipeline_branch;
mod pipeline_sandbox;
mod pool;
mod port_block;
mod prepared_home;
mod recall_tool;
mod session_lookup;
mod session_metadata;
mod setup;
mod shared_resources;
pub mod step_tools;
mod submission;
mod task_folder;
mod task_pruning;
mod task_removal;
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
pub use owner_notes::{OwnerNotes, read_notes};
pub use pool::WarmStatus;
pub use session_lookup::{KnownSession, find_session};
pub use setup::{AgentAccess, AgentSetup, Login, PolicyReader, default_max_agents};
pub use shared_resources::SharedAgentResources;
pub use task_folder::{sweep_tasks, to_failure};
pub use task_pruning::{StoredTask, prune_task, stored_tasks};
pub use task_removal::remove_task;
pub use text_backend::{MAX_AGENTS, with_agents};
pub use tripwire_report::{StepWorkerKind, TripwireReport};
