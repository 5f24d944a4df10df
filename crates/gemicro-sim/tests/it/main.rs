//! Tests of the simulator: what it sends, byte by byte, and how it behaves in time.

mod agent;
mod agent_folder;
mod agent_processes;
mod anthropic;
mod background;
mod client;
mod document;
mod faults;
mod golden;
mod load;
mod models_of_the_tests;
mod openai;
mod recording;
mod research;
mod responses;
mod resume;
mod scenario_files;
mod sdk;
mod tools;
mod wire;
