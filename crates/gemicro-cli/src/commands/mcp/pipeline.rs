//! The parameters of the tool for pipelines as a plan, under the settings of this machine.

use gemicro_core::budget::Limits;
use gemicro_engine::pipeline::workflow::Mode;
use gemicro_engine::{PipelineRequest, Plan, Request};
use gemicro_event::{ErrorKind, Failure};
use gemicro_mcp::{PipelineEntry, PipelineParameters};

use crate::commands::run::ready;
use crate::config::readers::parse_budget;
use crate::session::Context;
use crate::trouble::Stopped;
use crate::workflow_file;

/// What will be done.
///
/// # Errors
/// When a parameter is wrong, or an agent cannot work here.
pub(super) fn plan(ctx: &Context, it: PipelineParameters) -> Result<Plan, Failure> {
    let limits = match &it.budget {
        None => Limits::NONE,
        Some(budget) => parse_budget(budget)
            .map_err(|why| Failure::new(ErrorKind::InvalidInput, format!("budget: {why}")))?,
    };
    let workflow =
        workflow_file::load(None, &it.directory).map_err(|wrong| Stopped::from(wrong).into_failure())?;
    let plan = Plan::of(&Request::Pipeline(Box::new(PipelineRequest {
        task: it.task,
        mode: match it.mode {
            PipelineEntry::Bugfix => Mode::Bugfix,
            PipelineEntry::Research => Mode::Research,
            PipelineEntry::Direct => Mode::Direct,
        },
        directory: it.directory,
        branch: it.branch,
        workflow,
        agent: it.agent,
        model: it.model,
        remote: None,
        require_protection: false,
        push: it.push,
        limits,
    })))?;
    // Programs are started and waited for.
    tokio::task::block_in_place(|| ready(ctx, &plan)).map_err(Stopped::into_failure)?;
    Ok(plan)
}
