//! Pushes the target branch, never forced.

use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{look_at, to_failure};
use gemicro_event::Failure;
use gemicro_merge::{PushInput, PushResult};

pub(crate) async fn push(tools: &Tools, input: PushInput) -> Result<PushResult, Failure> {
    let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
    run_blocking(move || {
        let repository = look_at(&setup, &state, &input.directory)?;
        let pushed = repository.push_to_usual(&input.into, &commit(&input.commit)?);
        let remote = pushed.map_err(|error| to_failure(&error))?;
        Ok(PushResult { remote })
    })
    .await
}
