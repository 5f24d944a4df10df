//! Previews how a task would begin, without creating anything.

use std::path::Path;

use gemicro_agents::step_tools::run_blocking;
use gemicro_agents::{AgentSetup, look_at, to_failure};
use gemicro_event::Failure;
use gemicro_guard::repository::{MainBranchFrom, Slug, TrustedRepo};
use gemicro_pipeline::plan::PipelinePlan;

use super::init::{TaskRemote, all_taken, branch_names, in_words, protection};

/// A preview of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outlook {
    /// The branch that would be created.
    pub branch: Option<String>,
    /// Root of the repository.
    pub repository: Option<String>,
    /// The branch that it would be merged into, with its remote.
    pub main: Option<String>,
    /// The name of that branch.
    pub base: Option<String>,
    /// The remote of that branch, to which the task is pushed, if there is one.
    pub remote: Option<String>,
    /// The forge of that remote, if it is available.
    pub forge: Option<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Errors that would stop it before it begins.
    pub obstacles: Vec<Failure>,
}

/// Checks the repository, the branch, main and its protection. Contacts remotes, but fetches and writes nothing.
pub async fn outlook(setup: &AgentSetup, state: &Path, plan: &PipelinePlan) -> Outlook {
    let mut outlook = Outlook::default();
    let (looking, state, folder) = (setup.clone(), state.to_owned(), plan.directory.clone());
    let repository = match run_blocking(move || look_at(&looking, &state, &folder)).await {
        Ok(repository) => repository,
        Err(failure) => {
            outlook.obstacles.push(failure);
            return outlook;
        }
    };
    let notes = repository.notes().iter();
    outlook.notes = notes.map(|note| in_words(note.message())).collect();
    outlook.repository = Some(repository.top().display().to_string());
    let wanted = plan.clone();
    let looked = run_blocking(move || {
        let main = find_main(&repository, wanted.remote.as_deref());
        // Do not ask a remote again that did not answer.
        let remote = TaskRemote::look(&repository, wanted.remote.as_deref(), wanted.push && main.is_ok());
        let branch = free_branch(&repository, &remote, &wanted);
        Ok((main, branch, remote.unknown))
    });
    let (main, branch, unknown) = match looked.await {
        Ok(looked) => looked,
        Err(failure) => {
            outlook.obstacles.push(failure);
            return outlook;
        }
    };
    match branch {
        Ok(name) => outlook.branch = Some(name),
        Err(failure) => outlook.obstacles.push(failure),
    }
    let main = match main {
        Ok(main) => main,
        Err(failure) => {
            outlook.obstacles.push(failure);
            return outlook;
        }
    };
    let unasked = |failure: Failure| {
        let why = failure.message;
        format!("cannot check whether the branch is free on the remote: {why}")
    };
    outlook.notes.extend(unknown.map(unasked));
    let required = plan.require_protection;
    match protection(&setup.forges, &main.name, main.url.as_deref(), required).await {
        Ok(found) => outlook.notes.extend(found.map(|(_, words)| words)),
        Err(failure) => outlook.obstacles.push(failure),
    }
    let forge = main.url.as_deref().map(|url| setup.forges.of(url));
    match forge.transpose() {
        Ok(forge) => outlook.forge = forge.flatten().map(|forge| forge.name()),
        Err(failure) => outlook.obstacles.push(failure),
    }
    outlook.main = Some(match &main.remote {
        Some(remote) => format!("{} of {remote}", main.name),
        None => main.name.clone(),
    });
    outlook.base = Some(main.name);
    outlook.remote = main.remote;
    outlook
}

/// The name that the branch would get.
fn free_branch(
    repository: &TrustedRepo,
    remote: &TaskRemote,
    plan: &PipelinePlan,
) -> Result<String, Failure> {
    for name in branch_names(&plan.branch) {
        let slug: Slug = name.parse().map_err(|error| to_failure(&error))?;
        let there = repository
            .task_branch(&slug)
            .map_err(|error| to_failure(&error))?;
        match there.is_some() || remote.has(&name) {
            false => return Ok(name),
            true if plan.exact_branch => return Err(remote.branch_taken(&name)),
            true => {}
        }
    }
    Err(all_taken(&plan.branch))
}

/// A main branch that was found and not fetched.
struct UnfetchedMain {
    name: String,
    remote: Option<String>,
    url: Option<String>,
}

fn find_main(repository: &TrustedRepo, remote: Option<&str>) -> Result<UnfetchedMain, Failure> {
    let named = repository.main_branch_name(remote);
    let (name, from) = named.map_err(|error| to_failure(&error))?;
    let remote = match from {
        MainBranchFrom::Local => None,
        MainBranchFrom::Remote(remote) => Some(remote),
    };
    let remotes = repository.remotes().map_err(|error| to_failure(&error))?;
    let url = remotes.into_iter().find(|it| Some(&it.name) == remote.as_ref());
    Ok(UnfetchedMain {
        name,
        remote,
        url: url.map(|it| it.url),
    })
}
