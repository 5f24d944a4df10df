//! The backends against servers on this machine.

mod gemini_answers;
mod gemini_background;
mod gemini_errors;
mod gemini_foreign;
mod gemini_pick_up;
mod gemini_rest;
mod gemini_resume;
mod gemini_world;
mod openai;
mod raw_server;
