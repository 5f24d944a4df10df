//! The private checkout of a branch, made anew and made usable: carried files, caches, and the commands of `setup`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_batch::workshop::{Toolchains, Workshop};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::TaskSandbox;
use gemicro_guard::sandbox::{Limits, Mode, Network};
use gemicro_pipeline::steps::Place;
use gemicro_pipeline::workflow::NetworkRule;
use tokio_util::sync::CancellationToken;

use super::branch_at::{Tools, blocking};
use crate::agents::OnBranch;

/// What one command of `setup` may take.
const SETUP: Duration = Duration::from_secs(30 * 60);

/// A private checkout at the tip of its branch, in which commands can be run.
pub(super) struct Checkout {
    branch: OnBranch,
    pub(super) workshop: Workshop,
}

impl Checkout {
    /// Makes it anew: nothing that was left there before is in it but the caches.
    pub(super) async fn fresh(
        tools: &Tools,
        mut branch: OnBranch,
        place: &Place,
        cancel: &CancellationToken,
    ) -> Result<Self, Failure> {
        let copied = place.clone();
        let branch = blocking(move || {
            let caches = Caches::of(&branch, &copied.caches);
            caches.put_aside()?;
            branch.renew()?;
            caches.put_back()?;
            carry(&branch, &copied.carry)?;
            Ok(branch)
        })
        .await?;
        let workshop = workshop(tools, &branch, place).await?;
        let checkout = Self { branch, workshop };
        for command in &place.setup {
            let ran = checkout.workshop.run(command, SETUP, cancel).await?;
            if !ran.is_good() {
                let message = format!(
                    "the setup command `{command}` of the workflow failed: {}",
                    ran.output.trim()
                );
                return Err(Failure::new(ErrorKind::ChecksFailed, message));
            }
        }
        Ok(checkout)
    }

    /// The branch again.
    pub(super) fn leave(self) -> OnBranch {
        self.branch
    }

    /// The branch.
    pub(super) fn branch(&self) -> &OnBranch {
        &self.branch
    }
}

async fn workshop(tools: &Tools, branch: &OnBranch, place: &Place) -> Result<Workshop, Failure> {
    let tier = tools.tier().await?;
    let setup = &tools.setup;
    let path = setup.environment.get("PATH").cloned().unwrap_or_default();
    let usual = [("PATH", path.as_str()), ("LANG", "C.UTF-8"), ("CI", "true")];
    let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let profile = branch.task_profile(TaskSandbox {
        mode: Mode::WorkspaceWrite,
        user_home: setup.user_home.clone(),
        readable: Vec::new(),
        hidden: vec![tools.commons.state().to_owned()],
        network: match place.network {
            NetworkRule::None => Network::None,
            NetworkRule::Full => Network::Open,
        },
        unix_sockets: false,
        limits: Limits::default(),
        environment: usual.to_vec(),
    });
    let variable = |name: &str| setup.environment.get(name).cloned();
    let toolchains = Toolchains::of(&setup.user_home, &path, variable);
    Ok(Workshop {
        launcher: setup.launcher.clone(),
        tier,
        profile: toolchains.opened(profile),
        folder: branch.worktree(),
        redactor: tools.redactor.clone(),
    })
}

/// Folders of the checkout that outlive it.
struct Caches {
    worktree: PathBuf,
    /// In the checkout, and where they are meanwhile.
    folders: Vec<(PathBuf, PathBuf)>,
}

impl Caches {
    fn of(branch: &OnBranch, names: &[String]) -> Self {
        let (worktree, kept) = (branch.worktree(), branch.caches());
        let folders = names
            .iter()
            .map(|name| (worktree.join(name), kept.join(name.replace('/', "%"))));
        Self {
            folders: folders.collect(),
            worktree,
        }
    }

    /// Whether no part of the way there is a link: an agent could have put one in its place.
    fn is_inside(&self, folder: &Path) -> bool {
        let parents = folder.ancestors().skip(1);
        parents
            .take_while(|parent| parent.starts_with(&self.worktree))
            .all(|parent| parent.symlink_metadata().map_or(true, |about| about.is_dir()))
    }

    /// What is a folder is kept; anything else, such as a link, is gone with the checkout.
    fn put_aside(&self) -> Result<(), Failure> {
        for (inside, kept) in &self.folders {
            if self.is_inside(inside) && is_folder(inside) && !kept.exists() {
                make(kept.parent())?;
                std::fs::rename(inside, kept).map_err(|error| failed(inside, &error))?;
            }
        }
        Ok(())
    }

    fn put_back(&self) -> Result<(), Failure> {
        for (inside, kept) in &self.folders {
            if self.is_inside(inside) && is_folder(kept) && inside.symlink_metadata().is_err() {
                make(inside.parent())?;
                std::fs::rename(kept, inside).map_err(|error| failed(kept, &error))?;
            }
        }
        Ok(())
    }
}

/// Copies ignored files of the user's checkout. What git would commit is not carried: it could end in a branch.
fn carry(branch: &OnBranch, paths: &[String]) -> Result<(), Failure> {
    for path in paths {
        let from = branch.repository().top().join(path);
        if from.symlink_metadata().is_err() {
            continue;
        }
        let is_ignored = branch.repository().is_ignored(path);
        if !is_ignored.map_err(|error| crate::agents::told(&error))? {
            let message = format!(
                "`carry: {path}` is not ignored by git, so it could be committed: put it into .gitignore, or leave it out"
            );
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        let to = branch.worktree().join(path);
        make(to.parent())?;
        copy(&from, &to)?;
    }
    Ok(())
}

/// Copies a file, a link as a link, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let kind = from
        .symlink_metadata()
        .map_err(|error| failed(from, &error))?
        .file_type();
    let wrong = |error: std::io::Error| failed(from, &error);
    if kind.is_dir() {
        make(Some(to))?;
        for entry in std::fs::read_dir(from).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if kind.is_symlink() {
        let target = std::fs::read_link(from).map_err(wrong)?;
        std::os::unix::fs::symlink(target, to).map_err(wrong)?;
    } else if kind.is_file() {
        std::fs::copy(from, to).map_err(wrong)?;
    }
    Ok(())
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

fn make(folder: Option<&Path>) -> Result<(), Failure> {
    match folder {
        Some(folder) => std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error)),
        None => Ok(()),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ErrorKind::StorageError, format!("{}: {error}", path.display()))
}
