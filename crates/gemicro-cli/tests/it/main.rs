//! The real program, run as a user runs it: whole screens, exit codes, files.
//!
//! Every test has its own state folder and its own environment; ids, times and paths are normalised.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

mod agent_backend;
mod agent_parking;
mod agent_world;
mod agents;
mod bad_input;
mod batch;
mod batch_bad_input;
mod batch_exits;
mod batch_kills;
mod batch_place;
mod batch_remote;
mod batch_resident;
mod branches;
mod chat;
mod chat_agents;
mod chat_recall;
mod chat_screen;
mod conversation_prompts;
mod conversations;
mod costs;
mod day_budget;
mod dead_letters;
mod default_agent;
mod demo;
mod disguised;
mod doctor;
mod documents;
mod fake_agents;
mod guard;
mod guard_settings;
mod interrupted;
mod mcp;
mod mcp_clients;
mod mcp_python;
mod mcp_resident;
mod memory;
mod messages;
mod model_names;
mod normal;
mod notify;
mod office;
mod offline;
mod old_store;
mod ooda;
mod ooda_place;
mod ooda_rejected;
mod parking;
mod payload;
mod pipeline;
mod planted_settings;
mod program;
mod provider_trouble;
mod real_login;
mod real_pipeline;
mod real_settings;
mod real_submit;
mod recorded_chats;
mod recordings;
mod report;
mod research;
mod resident;
mod run_view;
mod runs;
mod serve;
mod serve_clients;
#[expect(dead_code, reason = "the tests of the store use more of it")]
#[path = "../../../gemicro-store/tests/it/server.rs"]
mod server;
mod serving;
mod settings;
mod shared_store;
mod sim;
mod simulated;
mod stopping;
mod store_damage;
mod task_branch;
mod task_branch_guard;
mod warm;
mod worker_schedules;
mod worker_troubles;
mod workflow;
