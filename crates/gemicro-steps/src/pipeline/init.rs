//! The first step: creates the branch, checks the protection of the remote's main branch, and runs the checks on the
//! base.

use std::collections::BTreeSet;
use std::sync::Arc;

use gemicro_agents::caches::CheckoutUse;
use gemicro_agents::checkout::{Checkout, SetUp};
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{OnBranch, StepWorkerKind, look_at, read_notes, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{RepositoryNote, TrustedRepo};
use gemicro_pipeline::forge::Forges;
use gemicro_pipeline::steps::{CheckInput, CheckoutSpec, Evidence, HUMAN_REVIEW, InitInput, InitResult};

use super::check::gather;
use super::merge::main_branch;
use super::project_memory::{live_entries, project_memory};

/// Text of the README in the handover folder.
const HANDOVER_NOTE: &[u8] =
    b"Files that gemicro writes for the agents of this task. They can only be read.\n";
/// Maximum number of branches with the same base name.
const MOST_TAKEN: u32 = 99;

pub(crate) async fn init(
    (tools, store): (&Tools, Arc<dyn Store>),
    input: InitInput,
    call: &StepCall,
) -> Result<InitResult, Failure> {
    tools.tier().await?;
    let (memory, note) = live_entries(&project_memory(tools, store, &input.place)?).await?;
    let branch = open(tools, &input, call).await?;
    let prepared = prepare(tools, &input, branch, call).await;
    let (mut prepared, branch) = match prepared {
        Ok(it) => it,
        Err((failure, Some(branch))) if !input.goes_on => {
            // Do not leave behind a branch on which no work can begin.
            let _ = branch.abandon().await;
            return Err(failure);
        }
        Err((failure, _)) => return Err(failure),
    };
    prepared.memory = memory;
    prepared.notes.extend(note);
    // The branch of an earlier run contains the work of agents.
    let worker = match input.goes_on {
        true => StepWorkerKind::Agent,
        false => StepWorkerKind::Gemicro,
    };
    let tripped = branch.leave_clean(worker).await;
    tripped.tell(&call.reporter);
    Ok(prepared)
}

/// Opens the branch: the one that an earlier attempt of this run created, or a new one.
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

/// The task branches at the remote that a task is pushed to.
#[derive(Default)]
pub(super) struct TaskRemote {
    names: BTreeSet<String>,
    /// Why they are not known.
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

/// A note about the repository, with its meaning for a task: agents do not see the workflow in their checkout.
pub(super) fn in_words(note: &str) -> String {
    match note == RepositoryNote::Uncommitted.message() {
        true => {
            format!("{note}; the workflow file and its prompts are used as they are here, committed or not")
        }
        false => note.to_owned(),
    }
}

/// Candidate names of a branch, the requested one first.
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

/// Opens an existing branch.
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
        // Agents may have changed this file on the branch of an earlier run; read the owner's version.
        let at = match goes_on {
            true => look.head().clone(),
            false => commit(&at)?,
        };
        Ok((main, url.map(|it| it.url), read_notes(&look, &at)?))
    })
    .await;
    let (main, url, owner_notes) = match looked {
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
    if owner_notes.as_ref().is_some_and(|it| it.is_cut) {
        notes.push(format!(
            "{HUMAN_REVIEW} is too long: agents get only its beginning"
        ));
    }
    if input.checks.is_empty() {
        notes.push(
            "no checks are configured and none were found: only the reviews will check the work".to_owned(),
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
        // The failed check has consumed the branch; open it again so that it can be deleted.
        Err(failure) => return Err((failure, reopen(tools, &place).await.ok())),
    };
    if let (Some(fault), false) = (evidence.faults().into_iter().next(), input.goes_on) {
        let message = format!("before anything was changed, {fault}");
        return Err((Failure::new(ErrorKind::ChecksFailed, message), Some(branch)));
    }
    // Writing a file creates the folder.
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
        human_review: owner_notes.map(|it| it.text),
        memory: Vec::new(),
        notes,
    };
    Ok((prepared, branch))
}

/// The results of the checks on the base; without checks, the setup is still tried. The branch of an earlier run
/// already contains the work of agents.
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

/// Says whether the remote's main branch is protected; `None` if there is no remote.
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
                false => "its remote is not on a known forge",
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
