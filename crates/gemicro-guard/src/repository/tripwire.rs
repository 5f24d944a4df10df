//! Detects changes of the user's repository that gemicro did not make. A detector, not a wall.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::RepositoryError;
use super::show::is_shown;
use super::slug::Slug;
use super::trusted::{OURS, TrustedRepo};

/// Files and folders of the git directory that say what git does and what its references are.
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
/// A file over this is told by its length.
const HASHED_BYTES: u64 = 64 << 20;

/// How the user's repository stands at one moment: all references but the task's and gemicro's own, what is checked
/// out where, and the files that decide what git does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tripwire {
    found: BTreeMap<String, String>,
}

/// One difference. The user may have made it: warn, and name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TripwireChange {
    /// The reference, the checkout, or the file in the git directory.
    pub what: String,
    /// What it was; nothing when it was not there.
    pub before: Option<String>,
    /// What it is; nothing when it is gone.
    pub after: Option<String>,
}

impl Tripwire {
    /// Looks at the repository.
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
            // Those that are shown are moved by gemicro itself.
            if !is_shown(&checkout.folder) {
                let name = format!("HEAD of {}", checkout.folder.display());
                found.insert(name, at.unwrap_or_default());
            }
        }
        for name in WATCHED {
            look(repository.common(), name, &mut found);
        }
        Ok(Self { found })
    }

    /// What differs in a later look.
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

/// Notes a file, or all that is in a folder. Links are noted, not followed.
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
        let hash: String = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{mode:o} sha256:{hash}")
    } else {
        format!("{mode:o} {} bytes", facts.len())
    };
    found.insert(name.to_owned(), value);
}
