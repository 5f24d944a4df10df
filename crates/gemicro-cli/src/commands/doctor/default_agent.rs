//! Shows which agent `ask`, `run` and `chat` use, and why.

use super::finding::{DoctorFinding, attention, good};
use crate::command_error::CommandError;
use crate::config::Layers;
use crate::default_agent::DefaultAgent;
use crate::session::Context;

const NAME: &str = "default agent";

pub(super) fn look(ctx: &Context) -> Option<DoctorFinding> {
    let layers = Layers::load(&ctx.environment);
    match layers.and_then(|layers| DefaultAgent::resolve(&ctx.environment, &layers)) {
        Ok(DefaultAgent { agent, why, is_ready }) => Some(match is_ready {
            true => good(NAME, format!("{agent}, {why}")),
            false => attention(
                NAME,
                format!("{agent}, {why}"),
                format!("fix what `agent {agent}` reports, or set `agent = \"NAME\"` in gemicro.toml"),
            ),
        }),
        Err(CommandError::Report(report)) => {
            Some(attention(NAME, report.failure.message.clone(), report.hint()))
        }
        Err(_) => None,
    }
}
