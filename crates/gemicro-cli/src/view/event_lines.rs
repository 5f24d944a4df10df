//! Events as they are stored, one JSON line each.

use gemicro_event::{Event, write_line};

use super::{RunEnd, View};
use crate::output::Output;
use crate::trouble::Stopped;

/// Passes events on.
pub(crate) struct EventLines {
    output: Output,
}

impl EventLines {
    /// To an output.
    pub(crate) fn new(output: Output) -> Self {
        Self { output }
    }
}

impl View for EventLines {
    fn event(&mut self, event: &Event) -> Result<(), Stopped> {
        let mut line = Vec::new();
        write_line(&mut line, event)?;
        self.output.write(&line)?;
        Ok(())
    }

    fn end(&mut self, _end: &RunEnd) -> Result<(), Stopped> {
        self.output.finish()
    }
}
