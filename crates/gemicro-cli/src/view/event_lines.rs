//! Prints events as they are stored, one JSON line each.

use gemicro_event::{Event, write_line};

use super::{RunEnd, RunView};
use crate::command_error::CommandError;
use crate::output::CommandOutput;

pub(crate) struct EventLines {
    output: CommandOutput,
}

impl EventLines {
    pub(crate) fn new(output: CommandOutput) -> Self {
        Self { output }
    }
}

impl RunView for EventLines {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        let mut line = Vec::new();
        write_line(&mut line, event)?;
        self.output.write(&line)?;
        Ok(())
    }

    fn end(&mut self, _end: &RunEnd) -> Result<(), CommandError> {
        self.output.finish()
    }
}
