//! A run of this process shown to its end: views, approval, and what is said when it was stopped.

use std::path::Path;

use gemicro_core::drive::StopSignals;
use gemicro_engine::{LocalRunService, RunSightings};
use gemicro_event::ErrorKind;

use super::views::views;
use crate::approval::{PlanApproval, PlanAsker};
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::follow::{RESUME, RunWatch, follow};
use crate::output;
use crate::report::ReportFiles;
use crate::session::Context;
use crate::view::RunEnd;

const UNKNOWN_MODEL: &str =
    "check the name of the model, or choose another with --model; a local model also needs --backend openai";

/// How a run is shown.
pub(crate) struct ResearchDisplay<'a> {
    /// How its result is printed.
    pub(crate) format: PrintFormat,
    /// Where its result goes instead of stdout.
    pub(crate) out: Option<&'a Path>,
    /// Where its report is written when it has ended.
    pub(crate) report: Option<&'a ReportFiles>,
    /// Its plan needs no approval.
    pub(crate) yes: bool,
}

/// Shows a run until it ends or is stopped.
///
/// # Errors
/// When the run failed or was stopped, or the store or a view failed.
pub(crate) async fn watch(
    ctx: &Context,
    here: &LocalRunService,
    watching: RunSightings,
    stop: &StopSignals,
    showing: ResearchDisplay<'_>,
) -> Result<(), CommandError> {
    let id = watching.run.clone();
    let approval = if showing.yes {
        PlanApproval::Granted
    } else {
        PlanApproval::Ask
    };
    let views = views(ctx, &id, showing.format, showing.out);
    let watch = RunWatch {
        desk: here,
        views,
        stop,
        asker: Box::new(PlanAsker::new(approval)),
        resume: RESUME,
    };
    let end = follow(watch, watching)
        .await
        .map_err(|stopped| stopped.about(&id))?;
    if let (Some(files), RunEnd::Completed { .. } | RunEnd::Failed(_)) = (showing.report, &end) {
        files.write(here.engine().store(), &id).await?;
    }
    here.engine().close().await;
    if matches!(end, RunEnd::Suspended(_)) {
        output::say(&format!(
            "Run {id} is suspended. Continue with: gemicro resume {id}"
        ));
    }
    let outcome = end.outcome(&id);
    match &end {
        RunEnd::Failed(failure) if failure.kind == ErrorKind::UnknownModel => {
            outcome.map_err(|error| error.with_hint(UNKNOWN_MODEL))
        }
        _ => outcome,
    }
}
