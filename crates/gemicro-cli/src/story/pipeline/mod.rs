//! The story of a coding pipeline: folded from its events, shown on a screen.
//!
//! [`PipelineStory`] is the fold; the live log, the phase board, `gemicro show` and `gemicro diff` all read it. `words`
//! has texts that several screens share.

mod gate_story;
mod help;
#[cfg(test)]
mod help_tests;
mod next;
mod page;
mod phase_story;
mod pipeline_story;
pub(crate) mod words;

pub(crate) use gate_story::{GateStory, answer_word, shown_name};
pub(crate) use help::{at_start, help, hint};
pub(super) use next::next_of_pipeline;
pub(super) use page::{facts, phases};
pub(crate) use phase_story::{PhaseState, PhaseStory};
pub(crate) use pipeline_story::{Pace, PipelineStory};
