//! The state that one statement passes on to the next: the working directory and the environment.

use std::path::{Path, PathBuf};

use crate::policy::paths;

/// A working directory, if it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) enum WorkingDirectory {
    Known(PathBuf),
    /// Only known when the line runs.
    Unknown,
}

/// The part of the shell's state between two statements that matters to the policy. Holds several possible working
/// directories, because a `cd` may or may not have happened.
#[derive(Debug, Clone)]
pub(in crate::policy) struct ShellState {
    places: Vec<WorkingDirectory>,
    /// The working directories if the last `cd` failed.
    failed: Vec<WorkingDirectory>,
    previous: Vec<WorkingDirectory>,
    stack: Vec<Vec<WorkingDirectory>>,
    /// Whether statements may run more than once.
    pub(in crate::policy) repeats: bool,
    /// The variable that makes git unreliable, if one was set.
    pub(in crate::policy) git_variable: Option<String>,
    /// The variable that makes shells unreliable, if one was set.
    pub(in crate::policy) shell_variable: Option<String>,
    /// Names of aliases so far.
    pub(in crate::policy) aliases: Vec<String>,
}

impl ShellState {
    pub(super) fn new(cwd: &Path) -> Self {
        Self {
            places: vec![WorkingDirectory::Known(cwd.to_path_buf())],
            failed: Vec::new(),
            previous: vec![WorkingDirectory::Unknown],
            stack: Vec::new(),
            repeats: false,
            git_variable: None,
            shell_variable: None,
            aliases: Vec::new(),
        }
    }

    /// The paths that a path written now may lead to; `None` if they are unknown.
    pub(in crate::policy) fn resolve(&self, path: &str) -> Option<Vec<PathBuf>> {
        if Path::new(path).is_absolute() {
            return Some(vec![PathBuf::from(path)]);
        }
        self.places
            .iter()
            .map(|place| match place {
                WorkingDirectory::Known(folder) => Some(folder.join(path)),
                WorkingDirectory::Unknown => None,
            })
            .collect()
    }

    /// `cd` to a folder that is written in the line.
    pub(in crate::policy) fn change(&mut self, path: &str) {
        let climbs = Path::new(path).is_relative() && path.split('/').any(|part| part == "..");
        if self.repeats && climbs {
            self.lose();
            return;
        }
        let mut places = Vec::new();
        for place in &self.places {
            let next = match place {
                WorkingDirectory::Known(folder) => WorkingDirectory::Known(paths::join(folder, path)),
                WorkingDirectory::Unknown if Path::new(path).is_absolute() => {
                    WorkingDirectory::Known(PathBuf::from(path))
                }
                WorkingDirectory::Unknown => WorkingDirectory::Unknown,
            };
            // The folder does not exist (yet): the `cd` may fail, and the line may continue.
            let certain = matches!(&next, WorkingDirectory::Known(folder) if folder.is_dir());
            if !certain {
                add(&mut self.failed, place.clone());
            }
            add(&mut places, next);
        }
        self.previous = std::mem::replace(&mut self.places, places);
    }

    /// The line continues whether or not a `cd` worked.
    pub(super) fn settle(&mut self) {
        for place in std::mem::take(&mut self.failed) {
            add(&mut self.places, place);
        }
    }

    /// The line continues because everything so far worked; returns the value to give back to [`ShellState::fail`].
    pub(super) fn succeed(&mut self) -> Vec<WorkingDirectory> {
        std::mem::take(&mut self.failed)
    }

    /// Restores the working directories of a failed `cd`.
    pub(super) fn fail(&mut self, failed: Vec<WorkingDirectory>) {
        for place in failed {
            add(&mut self.failed, place);
        }
    }

    /// `cd` to somewhere that cannot be known.
    pub(in crate::policy) fn lose(&mut self) {
        self.previous = std::mem::replace(&mut self.places, vec![WorkingDirectory::Unknown]);
    }

    /// `cd` to exactly this folder.
    pub(in crate::policy) fn set(&mut self, folder: &Path) {
        let places = vec![WorkingDirectory::Known(folder.to_path_buf())];
        self.previous = std::mem::replace(&mut self.places, places);
    }

    pub(in crate::policy) fn back(&mut self) {
        std::mem::swap(&mut self.places, &mut self.previous);
    }

    /// Remembers the folder, as `pushd` does before it changes.
    pub(in crate::policy) fn push(&mut self) {
        self.stack.push(self.places.clone());
    }

    pub(in crate::policy) fn pop(&mut self) {
        match self.stack.pop() {
            Some(places) if !self.repeats => self.previous = std::mem::replace(&mut self.places, places),
            _ => self.lose(),
        }
    }

    /// Merges the state of another branch that may have run.
    pub(in crate::policy) fn join(&mut self, mut other: ShellState) {
        self.settle();
        other.settle();
        for place in other.places {
            add(&mut self.places, place);
        }
        for place in other.previous {
            add(&mut self.previous, place);
        }
        if self.stack != other.stack {
            self.stack.clear();
        }
        self.git_variable = self.git_variable.take().or(other.git_variable);
        self.shell_variable = self.shell_variable.take().or(other.shell_variable);
        for alias in other.aliases {
            if !self.aliases.contains(&alias) {
                self.aliases.push(alias);
            }
        }
    }
}

fn add(places: &mut Vec<WorkingDirectory>, place: WorkingDirectory) {
    const PLACES: usize = 32;
    if places.contains(&place) {
        return;
    }
    if places.len() >= PLACES {
        *places = vec![WorkingDirectory::Unknown];
    } else {
        places.push(place);
    }
}
