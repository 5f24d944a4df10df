//! Whole pipelines with scripted agents: killed at every boundary, lied to, fed with bad input, pushed and offered;
//! and the example of a dark mode toggle.
//!
//! `scene` is the repository and the program that plays every agent; `life` a run that is watched and killed. Agents,
//! sandbox, git and checks are real; only what the agents do is written down beforehand.

mod agent_settings;
mod bad_agents;
mod bad_input;
mod batch_gates;
mod beside;
mod checks;
mod dark_mode;
mod forges;
mod gates;
mod intruders;
mod kills;
mod life;
mod memory;
mod merge_queue;
mod owner;
mod push;
mod queue_scene;
mod ready;
mod remarks;
mod request;
mod retries;
mod scene;
mod seen;
mod several_tasks;
mod skills;
mod submitted;
