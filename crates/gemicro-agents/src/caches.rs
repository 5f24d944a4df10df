//! Cache folders that outlive a checkout, in two sets, so that nothing an agent could write reaches a check:
//!
//! ```text
//! caches/agents/NAME   as agents left it; at first a copy of the other
//! caches/checks/NAME   as setup and checks on the base left it, before any agent worked; later checks get copies
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use gemicro_batch::workshop::copy_over;
use gemicro_event::{ErrorKind, Failure};

use super::branch::OnBranch;

/// The purpose of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutUse {
    /// An agent works there.
    Agent,
    /// The checks run on the base: nothing in it comes from an agent.
    Base,
    /// A check runs on the work of agents.
    Check,
    /// gemicro writes or merges there: it contains only what is committed.
    Own,
}

/// The folders of one checkout.
pub(super) struct Caches {
    worktree: PathBuf,
    folders: Vec<Cache>,
}

struct Cache {
    inside: PathBuf,
    agents: PathBuf,
    checks: PathBuf,
}

impl Caches {
    pub(super) fn of(branch: &OnBranch, names: &[String]) -> Self {
        let (worktree, kept) = (branch.worktree(), branch.caches());
        let folders = names.iter().map(|name| {
            let file_name = name.replace('/', "%");
            Cache {
                inside: worktree.join(name),
                agents: kept.join("agents").join(&file_name),
                checks: kept.join("checks").join(&file_name),
            }
        });
        Self {
            folders: folders.collect(),
            worktree,
        }
    }

    /// Saves the caches of a checkout that is about to be recreated. They count as an agent's, because their origin is
    /// not known. Anything but a folder, such as a link, is deleted with the checkout.
    pub(super) fn put_aside(&self) -> Result<(), Failure> {
        let left = self.folders.iter().filter(|cache| !cache.agents.exists());
        left.filter(|cache| is_free(&self.worktree, &cache.inside))
            .try_for_each(|cache| move_folder(&cache.inside, &cache.agents))
    }

    /// Moves or copies the caches into a fresh checkout.
    pub(super) fn bring(&self, used: CheckoutUse) -> Result<(), Failure> {
        let has_room = |cache: &&Cache| is_free(&self.worktree, &cache.inside) && !is_there(&cache.inside);
        for cache in self.folders.iter().filter(has_room) {
            match used {
                CheckoutUse::Agent if is_folder(&cache.agents) => move_folder(&cache.agents, &cache.inside)?,
                CheckoutUse::Agent | CheckoutUse::Check => copy_folder(&cache.checks, &cache.inside)?,
                CheckoutUse::Base => move_folder(&cache.checks, &cache.inside)?,
                CheckoutUse::Own => {}
            }
        }
        Ok(())
    }

    /// Keeps the caches of the base for later checks.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        let left = self.folders.iter().filter(|cache| !cache.checks.exists());
        left.filter(|cache| is_free(&self.worktree, &cache.inside))
            .try_for_each(|cache| move_folder(&cache.inside, &cache.checks))
    }
}

/// Whether no parent of a path in the checkout is a link or a file: an agent could have put one there.
pub(super) fn is_free(worktree: &Path, place: &Path) -> bool {
    let parents = place.ancestors().skip(1);
    parents
        .take_while(|parent| parent.starts_with(worktree))
        .all(|parent| parent.symlink_metadata().map_or(true, |about| about.is_dir()))
}

fn move_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    if !is_folder(from) {
        return Ok(());
    }
    make(to.parent())?;
    fs::rename(from, to).map_err(|error| cache_failure(from, &error))
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    if !is_folder(from) {
        return Ok(());
    }
    make(to.parent())?;
    copy_over(from, to, &mut |_, _| Ok(true))
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

pub(super) fn make(folder: Option<&Path>) -> Result<(), Failure> {
    match folder {
        Some(folder) => fs::create_dir_all(folder).map_err(|error| cache_failure(folder, &error)),
        None => Ok(()),
    }
}

fn cache_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ErrorKind::StorageError, format!("{}: {error}", path.display()))
}
