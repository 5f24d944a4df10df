//! The parameters of research as a plan: what the tool of the same name makes of them.

use std::time::Duration;

use gemicro_engine::Plan;
use gemicro_event::Failure;
use gemicro_http::ResearchParameters;

use crate::commands::mcp;
use crate::session::Context;

/// What will be done.
///
/// # Errors
/// When a parameter is wrong or what the backend needs is missing.
pub(super) fn plan(ctx: &Context, parameters: ResearchParameters) -> Result<Plan, Failure> {
    let asked = gemicro_mcp::ResearchParameters {
        question: parameters.question,
        sources: parameters.sources,
        offline: parameters.offline,
        backend: parameters.backend,
        model: parameters.model,
        web: parameters.web,
        max_queries: parameters.max_queries.and_then(|n| usize::try_from(n).ok()),
        budget: parameters.budget,
        max_duration: parameters
            .max_seconds
            .map(|seconds| Duration::from_secs(u64::from(seconds))),
    };
    mcp::plan(ctx, asked)
}
