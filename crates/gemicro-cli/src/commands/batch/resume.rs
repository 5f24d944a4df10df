//! A batch that is resumed: what `gemicro resume` does with one.

use std::path::Path;
use std::sync::Arc;

use gemicro_core::drive::StopSignals;
use gemicro_engine::{Batches, BoardPage, LocalRunService, RunService};
use gemicro_event::{RunStatus, StreamId};

use super::{outcome, render_answer};
use crate::args::{DataFormat, PrintFormat};
use crate::asker::NoAsker;
use crate::command_error::CommandError;
use crate::commands::resume::owner_is_gone;
use crate::follow::{RESUME, RunWatch, follow};
use crate::output::{self, CommandOutput};
use crate::session::{Context, run_error};
use crate::view::{EventLines, LineView, RunEnd, RunView};

/// A batch and how its answer is printed.
pub(crate) struct BatchResume<'a> {
    pub(crate) run: StreamId,
    pub(crate) status: RunStatus,
    /// How its answer is printed; every event for jsonl.
    pub(crate) format: PrintFormat,
    /// Where that goes instead of stdout.
    pub(crate) out: Option<&'a Path>,
}

/// Carries a batch out to its end, in this process.
///
/// # Errors
/// When somebody else does; when it is stopped again; as [`outcome`] says.
pub(crate) async fn resume(
    ctx: &Context,
    here: LocalRunService,
    how: BatchResume<'_>,
    stop: &StopSignals,
) -> Result<(), CommandError> {
    let BatchResume {
        run,
        status,
        format,
        out,
    } = how;
    if status.is_terminal() && format == PrintFormat::Text {
        output::say(&format!(
            "batch {run} has ended ({}); there is nothing to resume. Its results: gemicro batch results {run}",
            status.as_str()
        ));
        return Ok(());
    }
    let (events, format) = match format {
        PrintFormat::Jsonl => (Some(CommandOutput::new(out)), None),
        PrintFormat::Json => (None, Some(DataFormat::Json)),
        PrintFormat::Text | PrintFormat::Markdown => (None, Some(DataFormat::Text)),
    };
    let mut views: Vec<Box<dyn RunView>> = vec![Box::new(LineView::new(ctx.verbose))];
    if let Some(events) = events {
        views.push(Box::new(EventLines::new(events)));
    }
    if !status.is_terminal() {
        let watching = here
            .resume_from(&run, stop.clone(), owner_is_gone)
            .await
            .map_err(|failure| run_error(failure, &run))?;
        let watch = RunWatch {
            desk: &here,
            views,
            stop,
            asker: Box::new(NoAsker),
            resume: RESUME,
        };
        let batches = Batches::new(Arc::new(here.clone()));
        let asked = async {
            match batches.wait(run.as_str(), None, BoardPage::ALL).await {
                Ok(answer) if answer.counts.waits_for_person() => answer,
                // The view tells of any other end.
                Ok(_) | Err(_) => std::future::pending().await,
            }
        };
        let end = tokio::select! {
            biased;
            end = follow(watch, watching) => Some(end?),
            _ = asked => {
                here.suspend(&run).await?;
                None
            }
        };
        if let Some(end @ RunEnd::Suspended(_)) = end {
            output::say(&format!(
                "Batch {run} is stopped. Continue with: gemicro resume {run}"
            ));
            return end.outcome(&run);
        }
        if end.is_none() {
            output::say(&format!(
                "Batch {run} is stopped until its question is answered. Then continue with: gemicro resume {run}"
            ));
        }
    }
    let answer = Batches::new(Arc::new(here.clone()))
        .poll(run.as_str(), BoardPage::ALL)
        .await?;
    here.engine().close().await;
    if let Some(format) = format {
        let mut output = CommandOutput::new(out);
        output.write(render_answer(&answer, format, &ctx.screen).as_bytes())?;
        output.finish()?;
    }
    outcome(&answer)
}
