//! Answers the questions of a run that is watched.

use futures_util::future::BoxFuture;
use gemicro_event::{Event, Json};

use crate::command_error::CommandError;

/// Answers questions of one kind; other questions stay open for other askers.
pub(crate) trait Asker {
    /// The next event of the run, each once and in order.
    fn event(&mut self, event: &Event);

    /// Whether it answers the question with this key.
    fn answers(&self, key: &str) -> bool;

    /// Called when the question is no longer asked.
    fn withdraw(&mut self) {}

    /// The name of the person who answers, for the journal.
    fn by(&self) -> Option<String> {
        None
    }

    /// Asks, as of the last event; `None` if no one can answer, which does not count as a refusal.
    fn ask(&mut self) -> BoxFuture<'static, Result<Option<Json>, CommandError>>;
}

pub(crate) struct NoAsker;

impl Asker for NoAsker {
    fn event(&mut self, _event: &Event) {}

    fn answers(&self, _key: &str) -> bool {
        false
    }

    fn ask(&mut self) -> BoxFuture<'static, Result<Option<Json>, CommandError>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}
