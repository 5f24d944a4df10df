//! Detects changes of the user's repository that gemicro did not make. It detects; it does not prevent.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::RepositoryError;
use super::show::is_shown;
use super::slug::Slug;
use super::trusted::{OURS, TrustedRepo};

/// Files and folders of the git directory that decide what git does and what its references are.
const WATCHED: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "packed-refs",
    "shallow",
    "objects/info/alternates",
    "hooks",
    "info",
];
/// Files above this size are compared by their length only.
const HASHED_BYTES: u64 = 64 << 20;

/// A snapshot of the user's repository: all references but the task's and gemicro's own, what is checked out in each
/// checkout, and the files that decide what git does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tripwire {
    found: BTreeMap<String, String>,
}

/// One change. The user may have made it, so it is only a warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TripwireChange {
    /// The reference, the checkout, or the file in the git directory.
    pub what: String,
    /// The old value; `None` if it did not exist.
    pub before: Option<String>,
    /// The new value; `None` if it was removed.
    pub after: Option<String>,
}

impl Tripwire {
    /// Takes a snapshot of the repository.
    ///
    /// # Errors
    /// When git cannot list the references.
    pub fn take(repository: &TrustedRepo, slug: &Slug) -> Result<Self, RepositoryError> {
        let mut found = BTreeMap::new();
        let asked = "--format=%(refname) %(objectname) %(symref)";
        let text = repository.git.text(&["for-each-ref", asked])?;
        for line in text.lines() {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            if name != slug.reference() && !name.starts_with(OURS) {
                found.insert(name.to_owned(), value.trim_end().to_owned());
            }
        }
        for checkout in repository.checkouts()? {
            let at = checkout.branch.or(checkout.head.map(String::from));
            // gemicro itself moves the checkouts that it shows.
            if !is_shown(&checkout.folder) {
                let name = format!("HEAD of {}", checkout.folder.display());
                found.insert(name, at.unwrap_or_default());
            }
        }
        for name in WATCHED {
            look(repository.common(), name, &mut found);
        }
        split_settings(repository.common(), &mut found);
        Ok(Self { found })
    }

    /// The changes up to a later snapshot.
    #[must_use]
    pub fn compare(&self, later: &Self) -> Vec<TripwireChange> {
        let mut names: Vec<&String> = self.found.keys().chain(later.found.keys()).collect();
        names.sort();
        names.dedup();
        let change = |what: &String| TripwireChange {
            what: what.clone(),
            before: self.found.get(what).cloned(),
            after: later.found.get(what).cloned(),
        };
        names
            .into_iter()
            .map(change)
            .filter(|change| change.before != change.after)
            .collect()
    }
}

/// Records the settings of branches separately from all others: git writes them whenever a branch gets an upstream, is
/// renamed or deleted, and none of them makes it run anything.
fn split_settings(common: &Path, found: &mut BTreeMap<String, String>) {
    let is_file = std::fs::symlink_metadata(common.join("config")).is_ok_and(|facts| facts.is_file());
    let Some(text) = std::fs::read_to_string(common.join("config"))
        .ok()
        .filter(|_| is_file)
    else {
        return;
    };
    let (mut of_branches, mut others) = (String::new(), String::new());
    let mut in_branch = false;
    for line in text.lines() {
        if !line.starts_with(['\t', ' ']) {
            in_branch = names_branch(line);
        }
        let part = match in_branch && (names_branch(line) || is_harmless(line)) {
            true => &mut of_branches,
            false => &mut others,
        };
        part.push_str(line);
        part.push('\n');
    }
    if let Some(whole) = found.get_mut("config") {
        let mode = whole.split(' ').next().unwrap_or_default();
        *whole = format!("{mode} {}", hash(others.as_bytes()));
        found.insert("settings of branches".to_owned(), hash(of_branches.as_bytes()));
    }
}

/// `[branch "main"]` and nothing else on its line.
fn names_branch(line: &str) -> bool {
    let name = line
        .strip_prefix("[branch \"")
        .and_then(|rest| rest.strip_suffix("\"]"));
    name.is_some_and(|name| !name.contains(['"', '\\', ']', '[']))
}

/// A harmless setting that git writes about a branch, without quoting that could continue elsewhere.
fn is_harmless(line: &str) -> bool {
    let Some((key, value)) = line.trim_start().split_once(" = ") else {
        return false;
    };
    let known = ["remote", "merge", "rebase", "pushRemote", "description"];
    known.contains(&key) && !value.contains(['"', '\\'])
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Records a file, or everything in a folder. Links are recorded, not followed.
fn look(common: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    let path = common.join(name);
    let Ok(facts) = std::fs::symlink_metadata(&path) else {
        return;
    };
    let mode = facts.permissions().mode() & 0o7777;
    let value = if facts.is_symlink() {
        format!(
            "link to {}",
            std::fs::read_link(&path).unwrap_or_default().display()
        )
    } else if facts.is_dir() {
        let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
        for entry in entries {
            let inner = format!("{name}/{}", entry.file_name().to_string_lossy());
            look(common, &inner, found);
        }
        format!("folder {mode:o}")
    } else if facts.is_file() && facts.len() <= HASHED_BYTES {
        let bytes = std::fs::read(&path).unwrap_or_default();
        format!("{mode:o} {}", hash(&bytes))
    } else {
        format!("{mode:o} {} bytes", facts.len())
    };
    found.insert(name.to_owned(), value);
}
