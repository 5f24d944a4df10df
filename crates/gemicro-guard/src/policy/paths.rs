//! Finds where a path really leads: out of the worktree, into git's own folder, or neither.
//!
//! Existing symbolic links are followed, component by component; the part that does not exist yet is taken as written.

use std::path::{Component, Path, PathBuf};

use super::config::PolicyConfig;
use super::decision::Denial;
use super::rule::PolicyRule;
use crate::git_folder::is_git_folder;

/// Paths in a home folder that contain keys and passwords.
const SECRETS: &[&str] = &[
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".config/gcloud",
    ".config/gh",
    ".config/git",
    ".local/share/keyrings",
    ".mozilla",
    ".bash_history",
];

/// Parent folders of home folders, written in parts because `xtask tidy` denies machine-specific paths in source files.
const HOMES: &[&str] = &[concat!("/ho", "me/"), "/Users/"];
const ROOT_HOME: &str = concat!("/ro", "ot/");

/// The folders that a call may use.
#[derive(Debug, Clone)]
pub(super) struct Roots<'a> {
    pub(super) worktree: &'a Path,
    pub(super) config: &'a PolicyConfig,
}

impl Roots<'_> {
    /// Refuses a path that must not be written.
    pub(super) fn writable(&self, path: &Path, segment: &str) -> Result<(), Denial> {
        let real = real_path(path).ok_or_else(|| outside(segment))?;
        let root = self
            .roots(&self.config.writable)
            .find(|root| real.starts_with(root))
            .ok_or_else(|| outside(segment))?;
        let within = |whole: &Path| {
            whole
                .strip_prefix(&root)
                .is_ok_and(|rest| rest.iter().any(|part| part.to_str().is_none_or(is_git_folder)))
        };
        if within(&real) || within(&normalize(path)) {
            return Err(Denial::new(
                PolicyRule::GitMetadata,
                segment,
                "only git commands may change git's own folder",
            ));
        }
        Ok(())
    }

    /// Refuses a path that a file tool must not read.
    pub(super) fn readable(&self, path: &Path, segment: &str) -> Result<(), Denial> {
        let real = real_path(path).ok_or_else(|| outside(segment))?;
        let extra = || self.config.readable.iter().chain(&self.config.writable);
        if self.roots(extra()).any(|root| real.starts_with(root)) {
            return Ok(());
        }
        Err(outside(segment))
    }

    /// Whether a folder is the worktree or inside it, and outside git's own folder.
    pub(super) fn holds(&self, folder: &Path) -> bool {
        let (Some(real), Some(root)) = (real_path(folder), real_path(self.worktree)) else {
            return false;
        };
        real.strip_prefix(&root)
            .is_ok_and(|rest| !rest.iter().any(|part| part.to_str().is_none_or(is_git_folder)))
    }

    /// Whether a file is in a writable folder; true if its path cannot be resolved.
    pub(super) fn could_change(&self, file: &Path) -> bool {
        let real = real_path(file);
        real.is_none_or(|real| {
            self.roots(&self.config.writable)
                .any(|root| real.starts_with(root))
        })
    }

    fn roots<'r>(
        &'r self,
        extra: impl IntoIterator<Item = &'r PathBuf> + 'r,
    ) -> impl Iterator<Item = PathBuf> + 'r {
        std::iter::once(self.worktree)
            .chain(extra.into_iter().map(PathBuf::as_path))
            .filter_map(real_path)
    }
}

/// A path joined as the shell would join it, without looking at the file system.
pub(super) fn join(base: &Path, path: &str) -> PathBuf {
    normalize(&base.join(path))
}

/// Whether a word names a path that holds keys: `~/.ssh/id`, `$HOME/.aws`, and so on.
pub(super) fn is_secret(word: &str) -> bool {
    let in_home = ["~/", "$HOME/", "${HOME}/"]
        .iter()
        .find_map(|home| word.find(home).map(|start| &word[start + home.len()..]))
        .or_else(|| word.strip_prefix(ROOT_HOME))
        .or_else(|| {
            let rest = HOMES.iter().find_map(|homes| word.strip_prefix(homes))?;
            rest.split_once('/').map(|(_, rest)| rest)
        });
    in_home.is_some_and(|rest| {
        SECRETS.iter().any(|secret| {
            rest.strip_prefix(secret)
                .is_some_and(|after| after.is_empty() || after.starts_with('/'))
        })
    })
}

fn normalize(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(component),
        }
    }
    clean
}

/// The path with its existing links followed; `None` for a relative path or a broken link.
fn real_path(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Prefix(_) | Component::RootDir => real.push(component),
            Component::Normal(name) => {
                real.push(name);
                let is_link = std::fs::symlink_metadata(&real).is_ok_and(|meta| meta.is_symlink());
                if is_link {
                    real = std::fs::canonicalize(&real).ok()?;
                }
            }
        }
    }
    Some(real)
}

fn outside(segment: &str) -> Denial {
    Denial::new(
        PolicyRule::OutsideWorktree,
        segment,
        "stay inside the worktree; nothing outside it can be used",
    )
}
