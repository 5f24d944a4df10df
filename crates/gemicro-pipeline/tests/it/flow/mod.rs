//! Pipelines, decided from journals.

#[path = "../../../../gemicro-batch/tests/it/proposals/journal.rs"]
#[expect(dead_code, reason = "other flows need more of it")]
mod journal;

mod delivery;
mod gates;
mod in_hand;
mod paths;
mod retried;
mod submitted;
mod trouble;
