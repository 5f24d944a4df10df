//! A run in one file, and the run replayed from it.
//!
//! [`collect`] takes a run or a conversation with everything that belongs to it out of a store; [`write_file`] and
//! [`read_file`] keep it as one [`Recording`]. [`recorded_executors`] answers the steps of a replay from it, so that the
//! driver reaches no network, key or program; [`RecordingUpdate`] lets those that changed run for real. [`describe_difference`] says where a replay differs, [`RecordingSummary`]
//! what is in a recording. Nothing here drives a run or prints.

mod collect;
mod difference;
mod executor;
mod file;
mod recording;
mod restore;
mod summary;
mod update;

pub use collect::collect;
pub use difference::{describe_difference, describe_text_difference};
pub use executor::recorded_executors;
pub use file::{RecordingFileError, read_file, write_file};
pub use recording::{FORMAT_VERSION, LiveDelta, RecordedBlob, RecordedStream, Recording, RecordingHeader};
pub use restore::restore;
pub use summary::{RecordingSummary, RunSummary};
pub use update::RecordingUpdate;
