//! Which views a research run gets: progress on stderr, the result where it was asked for.

use std::path::Path;

use gemicro_event::StreamId;

use crate::args::Format;
use crate::output::Output;
use crate::session::Context;
use crate::view::{AnswerView, Board, EventLines, Lines, View};

/// The views for a format.
pub(crate) fn views(ctx: &Context, run: &StreamId, format: Format, out: Option<&Path>) -> Vec<Box<dyn View>> {
    let progress: Box<dyn View> = if ctx.screen.stderr_is_terminal && !ctx.verbose {
        Box::new(Board::new(&ctx.screen))
    } else {
        Box::new(Lines::new(ctx.verbose))
    };
    let output = Output::new(out);
    let result: Box<dyn View> = match format {
        Format::Jsonl => Box::new(EventLines::new(output)),
        Format::Text | Format::Json | Format::Markdown => {
            Box::new(AnswerView::new(run.clone(), format, output, &ctx.screen))
        }
    };
    vec![progress, result]
}
