//! Checks a merge that an agent concluded against git's automatic merge: only conflicts may be resolved differently.

use std::collections::BTreeSet;

use gemicro_guard::repository::{CommitId, FileAt, RepositoryError, TrustedRepo, conflict_markers};
use gemicro_pipeline::steps::FeedbackList;

/// Maximum size of a file that is searched for conflict markers, in bytes.
const MOST_BYTES: u64 = 8 << 20;
/// Maximum number of paths listed; the others are counted.
const MOST_NAMED: usize = 20;

/// A merge that is claimed.
pub(super) struct MergeClaim<'a> {
    /// The branch before the merge.
    pub(super) ours: &'a str,
    pub(super) theirs: &'a str,
    /// The files that were in conflict when the phase began.
    pub(super) files: &'a [String],
    /// The document that the phase writes.
    pub(super) document: Option<&'a String>,
}

/// The faults of the merge at the tip.
pub(super) fn faults(
    repository: &TrustedRepo,
    claim: &MergeClaim<'_>,
    tip: &CommitId,
) -> Result<Vec<String>, RepositoryError> {
    let (ours, theirs) = (commit(claim.ours)?, commit(claim.theirs)?);
    if !repository.is_ancestor(&theirs, tip)? {
        let fault =
            "the merge was not completed: resolve the conflicts, `git add` the files and `git commit`";
        return Ok(vec![fault.to_owned()]);
    }
    let mut merge = repository.automatic_merge(&ours, &theirs, &[])?;
    let base = repository.merge_base(&ours, &theirs)?;
    let changed = |old: &CommitId, new: &CommitId| -> Result<BTreeSet<String>, RepositoryError> {
        Ok(repository.changed_paths(old, new)?.into_iter().collect())
    };
    let of_task = changed(&base, &ours)?;
    // Attributes can make git report a conflict that it could merge; do not accept that if the task wrote them.
    if !of_task.iter().any(|path| path.ends_with(".gitattributes")) {
        merge.conflicts.extend(claim.files.iter().cloned());
    }
    let mut faults = Vec::new();
    for path in &merge.conflicts {
        if let Some(FileAt::File { bytes, .. }) = repository.read_file(tip, path, MOST_BYTES)?
            && conflict_markers(&bytes)
        {
            faults.push(format!("{path} still contains conflict markers"));
        }
    }
    let mut departed = repository.departed_paths(&merge, tip)?;
    // Ideas of an earlier round may have been added to the backlog since.
    let is_list = |path: &String| FeedbackList::ALL.iter().any(|list| path == list.path());
    departed.retain(|path| Some(path) != claim.document && !is_list(path));
    if !departed.is_empty() {
        // Files changed only by the task may be adapted to main; a file that is identical to main's was discarded.
        let (of_main, kept) = (changed(&base, &theirs)?, changed(&theirs, tip)?);
        departed.retain(|path| !of_task.contains(path) || of_main.contains(path) || !kept.contains(path));
    }
    faults.extend(claimed_merge(&departed, claim));
    Ok(faults)
}

fn claimed_merge(departed: &BTreeSet<String>, claim: &MergeClaim<'_>) -> Option<String> {
    if departed.is_empty() {
        return None;
    }
    let mut names: Vec<&str> = departed.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = departed.len() - names.len();
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.sort_unstable();
    Some(format!(
        "not in conflict, but different from git's merge: {}{more}. Restore them: `git merge-tree --write-tree {} {}` \
         prints a tree, and `git checkout TREE -- FILE` takes a file from it. Apart from the conflicts, change only \
         files that only the task changed, and only to adapt them",
        names.join(", "),
        claim.ours,
        claim.theirs
    ))
}

/// Parses a full commit id.
pub(super) fn commit(name: &str) -> Result<CommitId, RepositoryError> {
    let unknown = || RepositoryError::UnknownRevision {
        name: name.to_owned(),
    };
    CommitId::parse(name).ok_or_else(unknown)
}
