//! The story of a run: folded from its events, then shown on one screen.

mod batch_tasks;
pub(crate) mod beginnings;
mod cost;
mod merge_story;
mod next;
mod pipeline;
mod raw;
mod screen;
mod state_words;
mod steps;
mod story_fold;
mod sub_query_story;

pub(crate) use pipeline::{
    PhaseState, PhaseStory, PipelineStory, answer_word, at_start, hint, shown_name, words,
};
pub(crate) use raw::RawView;
pub(crate) use screen::tell;
pub(crate) use steps::kind_words;
pub(crate) use story_fold::{DIED, Story, StoryKind};
