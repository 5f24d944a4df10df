//! Runs the checks on one commit of the chain, in a private checkout that exists only for that.

use gemicro_agents::caches::CheckoutUse;
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{OnBranch, remove_task, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_event::Failure;
use gemicro_guard::repository::Slug;
use gemicro_pipeline::steps::{CheckInput, Evidence};

use crate::pipeline::gather;

pub(crate) async fn check(tools: &Tools, input: CheckInput, call: &StepCall) -> Result<Evidence, Failure> {
    let (setup, state, place) = (
        tools.setup.clone(),
        tools.commons.state().to_owned(),
        input.place.clone(),
    );
    let branch = run_blocking(move || {
        let named = (place.directory.as_str(), place.branch.as_str());
        OnBranch::make_at(&setup, &state, named, &commit(&place.tip)?)
    })
    .await?;
    let repository = branch.repository().clone();
    let gathered = gather(tools, branch, (&input, CheckoutUse::Check), &call.cancel).await;
    match gathered {
        Ok((evidence, branch)) => {
            branch.abandon().await?.tell(&call.reporter);
            Ok(evidence)
        }
        Err(failure) => {
            let (setup, state, place) = (tools.setup.clone(), tools.commons.state().to_owned(), input.place);
            // The failure of the check is the one to report.
            let _ = run_blocking(move || {
                remove_task(&setup, &state, (&place.directory, &place.branch))?;
                let (slug, tip): (Result<Slug, _>, _) = (place.branch.parse(), commit(&place.tip)?);
                let removed = slug.and_then(|slug| repository.remove_task_branch(&slug, &tip));
                removed.map_err(|error| to_failure(&error))
            })
            .await;
            Err(failure)
        }
    }
}
