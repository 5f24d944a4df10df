//! Moves the target branch to the end of the chain, and the user's checkout of it.

use std::path::Path;

use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{look_at, to_failure};
use gemicro_event::Failure;
use gemicro_guard::repository::{BranchMove, CommitId, RepositoryError, TrustedRepo};
use gemicro_merge::{LandInput, LandResult};

pub(crate) async fn land(tools: &Tools, input: LandInput) -> Result<LandResult, Failure> {
    let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
    run_blocking(move || {
        let repository = look_at(&setup, &state, &input.directory)?;
        let (old, new) = (commit(&input.old)?, commit(&input.new)?);
        land_at(&repository, &input.into, &old, &new).map_err(|error| to_failure(&error))
    })
    .await
}

fn land_at(
    repository: &TrustedRepo,
    into: &str,
    old: &CommitId,
    new: &CommitId,
) -> Result<LandResult, RepositoryError> {
    let checkout = repository.checkout_of(into)?;
    let Some(now) = repository.local_branch(into)? else {
        return Ok(LandResult::TargetMoved);
    };
    // An earlier attempt was killed after it moved the branch, perhaps before it updated the checkout.
    if repository.is_ancestor(new, &now)? {
        let checkout = checkout.filter(|_| now == *new);
        return Ok(land_result(repository, checkout.as_deref(), old, new));
    }
    if let Some(folder) = &checkout {
        repository.check_clean(folder)?;
        repository.check_update(folder, old, new)?;
    }
    match repository.move_branch(into, old, new)? {
        BranchMove::Elsewhere => Ok(LandResult::TargetMoved),
        BranchMove::Done => Ok(land_result(repository, checkout.as_deref(), old, new)),
    }
}

/// Updates the user's checkout. The branch has moved already, so a problem is only a note.
fn land_result(
    repository: &TrustedRepo,
    checkout: Option<&Path>,
    old: &CommitId,
    new: &CommitId,
) -> LandResult {
    let Some(folder) = checkout else {
        return LandResult::Landed {
            checkout: None,
            note: None,
        };
    };
    let shown = folder.display().to_string();
    match repository.update_checkout(folder, old, new) {
        Ok(()) => LandResult::Landed {
            checkout: Some(shown),
            note: None,
        },
        Err(error) => LandResult::Landed {
            checkout: None,
            note: Some(format!(
                "{error}; to update the checkout, run: git -C {shown} read-tree -m -u {old} HEAD"
            )),
        },
    }
}
