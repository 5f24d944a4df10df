//! The backends against servers on this machine.

mod functions;
mod gateway_budget;
mod gateway_door;
mod gateway_key;
mod gateway_property;
mod gateway_streams;
mod gateway_tool;
mod gateway_world;
mod gemini_answers;
mod gemini_background;
mod gemini_errors;
mod gemini_foreign;
mod gemini_pick_up;
mod gemini_rest;
mod gemini_resume;
mod gemini_world;
mod openai_answers;
mod openai_errors;
mod openai_world;
mod raw_server;
