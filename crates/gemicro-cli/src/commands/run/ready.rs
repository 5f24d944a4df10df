//! Checks whether a run could begin, before anything is created.

use gemicro_core::run::events::RunStarted;
use gemicro_engine::Plan;
use gemicro_engine::pipeline::{Outlook, outlook};
use gemicro_pipeline::plan::PipelinePlan;

use crate::agents;
use crate::command_error::{CommandError, ErrorReport};
use crate::commands::doctor;
use crate::config::{Endpoints, ForgeSettings};
use crate::output;
use crate::runtime;
use crate::session::Context;
use crate::story::at_start;

/// Refuses a plan whose agents cannot work on this machine.
///
/// # Errors
/// When there is no sandbox, or one of them lacks its program, its key or its login.
pub(crate) fn ready(ctx: &Context, plan: &Plan) -> Result<(), CommandError> {
    let plan: PipelinePlan = plan.read()?;
    refuse(ctx, doctor::obstacles(ctx, &plan.agents())?)
}

/// Refuses to resume a run whose agents can no longer work on this machine.
///
/// # Errors
/// As for [`ready`].
pub(crate) fn ready_again(ctx: &Context, started: Option<&RunStarted>) -> Result<(), CommandError> {
    match started.and_then(|started| started.plan.parse::<PipelinePlan>().ok()) {
        Some(plan) => refuse(ctx, doctor::obstacles(ctx, &plan.agents())?),
        // The driver reports a plan that cannot be read.
        None => Ok(()),
    }
}

/// The starting point of a run, and everything that would stop it there.
pub(super) struct RunStart {
    pub(super) outlook: Outlook,
    pub(super) obstacles: Vec<ErrorReport>,
}

/// Examines this machine and the repository.
///
/// # Errors
/// When the settings cannot be read, or nothing can be tried.
pub(super) fn look(ctx: &Context, plan: &PipelinePlan) -> Result<RunStart, CommandError> {
    let layers = ctx.layers()?;
    let (endpoints, forges) = (Endpoints::resolve(&layers)?, ForgeSettings::resolve(&layers)?);
    let setup = agents::setup(&ctx.environment, &endpoints, forges.forges(&ctx.environment))?;
    let home = ctx.home(&layers)?;
    let found = runtime::block_on(async { Ok(outlook(&setup, &home, plan).await) })?;
    let of_repository = found.obstacles.iter().map(|failure| ErrorReport {
        failure: failure.clone(),
        hint: at_start(failure.kind).map(str::to_owned),
        run: None,
    });
    let mut obstacles: Vec<ErrorReport> = of_repository.collect();
    obstacles.extend(doctor::obstacles(ctx, &plan.agents())?);
    Ok(RunStart {
        outlook: found,
        obstacles,
    })
}

/// Reports all obstacles; returns the last as the error.
pub(super) fn refuse(ctx: &Context, mut obstacles: Vec<ErrorReport>) -> Result<(), CommandError> {
    let Some(last) = obstacles.pop() else {
        return Ok(());
    };
    for report in obstacles {
        output::say(&report.text(&ctx.screen));
    }
    Err(CommandError::Report(Box::new(last)))
}
