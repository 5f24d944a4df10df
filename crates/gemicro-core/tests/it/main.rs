//! The heart of gemicro held against its promises: driver, crash, budgets, truth, citations, live text.
//!
//! Every file is one promise; `support` holds the stand-ins (flows, executors, stores, sources).

mod support;

mod agent;
mod ask;
mod budgets;
mod crash;
mod drive_budget;
mod drive_commands;
mod drive_leases;
mod drive_panics;
mod drive_park;
mod drive_steps;
mod drive_stops;
mod drive_time;
mod folds;
mod golden_events;
mod history;
mod injection;
mod library_face;
mod live;
mod parts;
mod prompt_recall;
mod prompt_recall_world;
mod web;
mod wire;
