//! The first step: the branch at once, then the remote's protection, then the checks on the base.

use std::collections::BTreeSet;

use gemicro_agents::caches::CheckoutUse;
use gemicro_agents::checkout::{Checkout, SetUp};
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{OnBranch, StepWorkerKind, look_at, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{FileAt, RepositoryNote, TrustedRepo};
use gemicro_pipeline::forge::Forges;
use gemicro_pipeline::steps::{CheckInput, CheckoutSpec, Evidence, InitInput, InitResult};

use super::check::gather;
use super::merge::main_branch;

/// What the folder of handed-over files is for.
const HANDOVER_NOTE: &[u8] =
    b"Files that gemicro writes for the agents of this task. They can only be read.\n";
/// Notes of the project's owner.
pub(super) const HUMAN_REVIEW: &str = "docs/dev_docs/HUMAN_REVIEW.md";
const MOST_NOTES: u64 = 32 << 10;
/// Branches of one name that may be there.
const MOST_TAKEN: u32 = 99;

pub(crate) async fn init(tools: &Tools, input: InitInput, call: &StepCall) -> Result<InitResult, Failure> {
    tools.tier().await?;
    let branch = open(tools, &input, call).await?;
    let prepared = prepare(tools, &input, branch, call).await;
    let (prepared, branch) = match prepared {
        Ok(it) => it,
        Err((failure, Some(branch))) if !input.goes_on => {
            // A branch on which nothing can be begun is not left behind.
            let _ = branch.abandon().await;
            return Err(failure);
        }
        Err((failure, _)) => return Err(failure),
    };
    // The branch of an earlier run has the work of agents on it.
    let worker = match input.goes_on {
        true => StepWorkerKind::Agent,
        false => StepWorkerKind::Gemicro,
    };
    let tripped = branch.leave_clean(worker).await;
    tripped.tell(&call.reporter);
    Ok(prepared)
}

/// The branch: the one that an earlier attempt of this run made, or a new one.
async fn open(tools: &Tools, input: &InitInput, call: &StepCall) -> Result<OnBranch, Failure> {
    let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
    let (place, run) = (input.place.clone(), call.run.to_string());
    let input = input.clone();
    run_blocking(move || {
        if input.goes_on {
            return OnBranch::reopen(&setup, &state, (&place.directory, &place.branch));
        }
        let repository = look_at(&setup, &state, &place.directory)?;
        let remote = TaskRemote::look(&repository, input.remote.as_deref(), input.push);
        for name in branch_names(&place.branch) {
            let begun = match remote.has(&name) {
                true => None,
                false => OnBranch::begin(&setup, &state, (&place.directory, &name), &run)?,
            };
            match begun {
                Some(branch) => return Ok(branch),
                None if input.exact => return Err(remote.branch_taken(&name)),
                None => {}
            }
        }
        Err(all_taken(&place.branch))
    })
    .await
}

/// The branches of tasks at the remote that a task is pushed to.
#[derive(Default)]
pub(super) struct TaskRemote {
    names: BTreeSet<String>,
    /// Why nobody knows them.
    pub(super) unknown: Option<Failure>,
}

impl TaskRemote {
    /// Asks the remote, if the task is pushed. Blocks for a minute at most.
    pub(super) fn look(repository: &TrustedRepo, remote: Option<&str>, push: bool) -> Self {
        if !push {
            return Self::default();
        }
        match repository.task_branches_at(remote) {
            Ok(names) => Self { names, unknown: None },
            Err(error) => Self {
                names: BTreeSet::new(),
                unknown: Some(to_failure(&error)),
            },
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub(super) fn branch_taken(&self, name: &str) -> Failure {
        let place = if self.has(name) { " at the remote" } else { "" };
        Failure::new(
            ErrorKind::Conflict,
            format!("branch {name} exists already{place}"),
        )
    }
}

/// A note about the repository, with what it means for a task: the workflow is no part of the checkout that agents see.
pub(super) fn in_words(note: &str) -> String {
    match note == RepositoryNote::Uncommitted.message() {
        true => {
            format!("{note}; the workflow file and its prompts are used as they are here, committed or not")
        }
        false => note.to_owned(),
    }
}

/// The names that a branch may get, the wanted one first.
pub(super) fn branch_names(wanted: &str) -> impl Iterator<Item = String> {
    (1..=MOST_TAKEN).map(move |number| match number {
        1 => wanted.to_owned(),
        n => format!("{wanted}-{n}"),
    })
}

pub(super) fn all_taken(wanted: &str) -> Failure {
    let message = format!("branch {wanted} and all its numbered names exist already");
    Failure::new(ErrorKind::Conflict, message)
}

/// A branch that is there.
async fn reopen(tools: &Tools, place: &CheckoutSpec) -> Result<OnBranch, Failure> {
    let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
    let place = place.clone();
    run_blocking(move || OnBranch::reopen(&setup, &state, (&place.directory, &place.branch))).await
}

async fn prepare(
    tools: &Tools,
    input: &InitInput,
    branch: OnBranch,
    call: &StepCall,
) -> Result<(InitResult, OnBranch), (Failure, Option<OnBranch>)> {
    let repository = branch.repository().clone();
    let (look, remote) = (repository.clone(), input.remote.clone());
    let tip = branch.tip();
    let (at, goes_on) = (tip.clone(), input.goes_on);
    let looked = run_blocking(move || {
        let main = look
            .main_branch(remote.as_deref())
            .map_err(|error| to_failure(&error))?;
        let main = main_branch(main);
        let remotes = look.remotes().map_err(|error| to_failure(&error))?;
        let url = remotes
            .into_iter()
            .find(|it| Some(&it.name) == main.remote.as_ref());
        // An agent may have written on the branch of an earlier run; these are the owner's words.
        let at = match goes_on {
            true => look.head().clone(),
            false => commit(&at)?,
        };
        let notes = look.read_file(&at, HUMAN_REVIEW, MOST_NOTES);
        let notes = match notes.map_err(|error| to_failure(&error))? {
            Some(FileAt::File { bytes, .. }) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) | None => None,
        };
        Ok((main, url.map(|it| it.url), notes))
    })
    .await;
    let (main, url, human_review) = match looked {
        Ok(looked) => looked,
        Err(failure) => return Err((failure, Some(branch))),
    };
    let mut notes: Vec<String> = branch.notes().iter().map(|note| in_words(note)).collect();
    let protection = match protection(
        &tools.setup.forges,
        &main.name,
        url.as_deref(),
        input.require_protection,
    )
    .await
    {
        Ok(protection) => protection,
        Err(failure) => return Err((failure, Some(branch))),
    };
    if let Some((false, words)) = &protection {
        notes.push(words.clone());
    }
    if input.checks.is_empty() {
        notes.push(
            "no checks are configured and none were found: nothing but the reviewers will vouch for the work"
                .to_owned(),
        );
    }
    let place = CheckoutSpec {
        branch: branch.name(),
        tip: tip.clone(),
        ..input.place.clone()
    };
    let gathered = gather_on_base(tools, branch, input, place.clone(), call).await;
    let (evidence, branch) = match gathered {
        Ok(gathered) => gathered,
        // It took the branch with it, which is opened once more to be taken away.
        Err(failure) => return Err((failure, reopen(tools, &place).await.ok())),
    };
    if let (Some(fault), false) = (evidence.faults().into_iter().next(), input.goes_on) {
        let message = format!("before anything was changed, {fault}");
        return Err((Failure::new(ErrorKind::ChecksFailed, message), Some(branch)));
    }
    // The folder is made with its first file.
    if let Err(failure) = branch.write_handover("README.txt", HANDOVER_NOTE) {
        return Err((failure, Some(branch)));
    }
    let prepared = InitResult {
        branch: branch.name(),
        base: branch.base(),
        tip,
        main,
        handover: branch.handover().display().to_string(),
        worktree: branch.show(),
        protection: protection.map(|(_, words)| words),
        evidence,
        human_review,
        notes,
    };
    Ok((prepared, branch))
}

/// What the checks say about the base; where there are none, setup is tried all the same. A branch of an earlier run
/// has the work of agents on it already.
async fn gather_on_base(
    tools: &Tools,
    branch: OnBranch,
    input: &InitInput,
    place: CheckoutSpec,
    call: &StepCall,
) -> Result<(Evidence, OnBranch), Failure> {
    let used = match input.goes_on {
        true => CheckoutUse::Check,
        false => CheckoutUse::Base,
    };
    let setup = place.setup.clone();
    let checks = CheckInput {
        place,
        checks: input.checks.clone(),
        records: Vec::new(),
    };
    if !checks.checks.is_empty() || setup.is_empty() {
        return gather(tools, branch, (&checks, used), &call.cancel).await;
    }
    let checkout = Checkout::fresh(tools, branch, &checks.place, used).await?;
    let (checkout, set_up) = checkout.set_up(tools, &setup, &call.cancel).await?;
    match set_up {
        SetUp::Failed(fault) | SetUp::Unverified(fault) if !input.goes_on => {
            Err(Failure::new(ErrorKind::ChecksFailed, fault))
        }
        SetUp::Well | SetUp::Failed(_) | SetUp::Unverified(_) => {
            gather(tools, checkout.leave(), (&checks, used), &call.cancel).await
        }
    }
}

/// Whether the remote's main is protected, in words; nothing where there is no remote.
pub(super) async fn protection(
    forges: &Forges,
    main: &str,
    url: Option<&str>,
    required: bool,
) -> Result<Option<(bool, String)>, Failure> {
    let asked = match url {
        None => None,
        Some(url) => forges.of(url)?,
    };
    let Some(forge) = asked else {
        if required {
            let message = "cannot check whether main is protected: there is no forge";
            return Err(Failure::new(ErrorKind::PermissionDenied, message));
        }
        let words = |url: &str| {
            let why = match forges.knows(url) {
                true => "there is no token for its forge",
                false => "its remote is on no forge that is known here",
            };
            format!("cannot check whether {main} is protected: {why}")
        };
        return Ok(url.map(|url| (false, words(url))));
    };
    let found = forge.protection(main).await;
    let (is_safe, words) = match found {
        Ok(found) if found.is_complete() => {
            let words = format!(
                "{main} of {} is protected by {}",
                forge.name(),
                found.by.join(", ")
            );
            (true, words)
        }
        Ok(found) => {
            let mut missing = Vec::new();
            if !found.requires_request {
                missing.push("it can be pushed to without a pull request");
            }
            if !found.blocks_force_push {
                missing.push("force pushes are not blocked");
            }
            let unknown = found.unknown.map(|why| format!("; {why}")).unwrap_or_default();
            let words = format!(
                "{main} of {} is not protected: {}{unknown}",
                forge.name(),
                missing.join(", and ")
            );
            (false, words)
        }
        Err(error) => (
            false,
            format!("cannot check whether {main} is protected: {error}"),
        ),
    };
    if required && !is_safe {
        return Err(Failure::new(ErrorKind::PermissionDenied, words));
    }
    Ok(Some((is_safe, words)))
}
