//! Chooses the views of a research run: progress on stderr, the result where it was requested.

use std::path::Path;

use gemicro_event::StreamId;

use crate::args::PrintFormat;
use crate::output::CommandOutput;
use crate::session::Context;
use crate::view::{AnswerView, EventLines, LineView, RunView, TerminalBoard};

/// The views for a format.
pub(crate) fn views(
    ctx: &Context,
    run: &StreamId,
    format: PrintFormat,
    out: Option<&Path>,
) -> Vec<Box<dyn RunView>> {
    let progress: Box<dyn RunView> = if ctx.screen.stderr_is_terminal && !ctx.verbose {
        Box::new(TerminalBoard::new(&ctx.screen))
    } else {
        Box::new(LineView::new(ctx.verbose))
    };
    let output = CommandOutput::new(out);
    let result: Box<dyn RunView> = match format {
        PrintFormat::Jsonl => Box::new(EventLines::new(output)),
        PrintFormat::Text | PrintFormat::Json | PrintFormat::Markdown => {
            Box::new(AnswerView::new(run.clone(), format, output, &ctx.screen))
        }
    };
    vec![progress, result]
}
