//! The trait of views.

use gemicro_core::live::LiveItem;
use gemicro_event::Event;

use super::RunEnd;
use crate::command_error::CommandError;

pub(crate) trait RunView {
    /// The next event of the run, each once and in order.
    fn event(&mut self, event: &Event) -> Result<(), CommandError>;

    /// Text that a step is writing; may arrive in parts of any size, or not at all.
    fn live(&mut self, _item: &LiveItem) -> Result<(), CommandError> {
        Ok(())
    }

    /// A message of this program itself.
    fn notice(&mut self, _text: &str) {}

    fn end(&mut self, end: &RunEnd) -> Result<(), CommandError>;
}
