//! Checks an agent's claims against its commits.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use gemicro_guard::repository::{CommitAbout, CommitId, FileAt, RepositoryError, TrustedRepo};
use gemicro_pipeline::evidence::{PlanBlock, TreeFiles, faults, read_plan};
use gemicro_pipeline::payload::DocumentPath;
use gemicro_pipeline::steps::{AgentClaim, ImportInput};

use super::merge_claim::{self, MergeClaim, commit};

/// Maximum number of commits listed.
pub(super) const MOST_COMMITS: usize = 200;
/// Maximum size of a document in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The result of checking the claims.
pub(super) struct ClaimResults {
    pub(super) faults: Vec<String>,
    pub(super) plan: Option<PlanBlock>,
    pub(super) commits: Vec<CommitAbout>,
}

/// Checks the commits from the old tip of the branch to a new one.
pub(super) fn hold(
    repository: &TrustedRepo,
    input: &ImportInput,
    new: &CommitId,
) -> Result<ClaimResults, RepositoryError> {
    let old = &commit(&input.place.tip)?;
    let tip = CommitFiles {
        repository,
        commit: new.clone(),
    };
    let changed = repository.changed_paths(old, new)?;
    let mut held = ClaimResults {
        faults: rewritten_documents(repository, new, &input.phase.kept)?,
        plan: None,
        commits: repository.commits_between(old, new, MOST_COMMITS)?,
    };
    match &input.claim {
        AgentClaim::Nothing => {}
        AgentClaim::Document { path } => match document(repository, new, path)? {
            Err(fault) => held.faults.push(fault),
            Ok(_) => held.faults.extend(not_own(input, path, &changed)),
        },
        AgentClaim::Plan { path } => match document(repository, new, path)? {
            Err(fault) => held.faults.push(fault),
            Ok(text) => {
                held.faults.extend(not_own(input, path, &changed));
                match read_plan(&text) {
                    Ok(plan) => held.plan = Some(plan),
                    Err(faults) => held.faults.extend(faults),
                }
            }
        },
        AgentClaim::Work {
            commit: claimed,
            plan,
            approved,
            verification,
        } => {
            held.faults
                .extend(claimed_commit(claimed, input, new, &held.commits));
            let base = CommitFiles {
                repository,
                commit: commit(&input.base)?,
            };
            // The work is checked against the approved plan, even if the plan was changed since.
            let approved = document(repository, &commit(approved)?, plan)?;
            match approved.map(|text| read_plan(&text)) {
                Err(fault) => held.faults.push(fault),
                Ok(Ok(plan)) => held.faults.extend(faults(&plan, &base, &tip, verification)),
                Ok(Err(faults)) => held.faults.extend(faults),
            }
        }
        AgentClaim::Merge {
            commit: claimed,
            ours,
            theirs,
            files,
        } => {
            held.faults
                .extend(claimed_commit(claimed, input, new, &held.commits));
            let claim = MergeClaim {
                ours,
                theirs,
                files,
                document: input.phase.own.as_ref(),
            };
            held.faults.extend(merge_claim::faults(repository, &claim, new)?);
        }
    }
    Ok(held)
}

/// Lists documents of earlier phases that were changed since.
fn rewritten_documents(
    repository: &TrustedRepo,
    new: &CommitId,
    kept: &[(String, String)],
) -> Result<Vec<String>, RepositoryError> {
    let mut since: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut faults = Vec::new();
    for (path, written) in kept {
        let changed = match since.entry(written) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(repository.changed_paths(&commit(written)?, new)?),
        };
        if changed.contains(path) {
            faults.push(format!(
                "{path} is from an earlier phase and was changed: restore it"
            ));
        }
    }
    Ok(faults)
}

/// A fault if the document is not the one that the agent had to write in this phase.
fn not_own(input: &ImportInput, path: &str, changed: &[String]) -> Option<String> {
    if let Some(own) = input.phase.own.as_ref().filter(|own| *own != path) {
        return Some(format!(
            "{path} is not the document of this phase: write and name {own} instead"
        ));
    }
    let is_written = input.phase.stands || changed.iter().any(|it| it == path);
    (!is_written).then(|| format!("{path} existed before and you did not change it: rewrite it"))
}

/// The claimed commit must be the last one, or the agent's last one before gemicro's own commit.
fn claimed_commit(
    claimed: &str,
    input: &ImportInput,
    tip: &CommitId,
    commits: &[CommitAbout],
) -> Option<String> {
    let is_claimed = |id: &str| id.starts_with(&claimed.to_ascii_lowercase());
    let is_ours = |about: &&CommitAbout| about.trailers == input.trailers;
    let own = commits.iter().rev().find(|about| !is_ours(about));
    match own {
        _ if commits.is_empty() && !(input.phase.stands && is_claimed(tip.as_str())) => {
            Some("nothing was committed, and there are no uncommitted changes".to_owned())
        }
        _ if is_claimed(tip.as_str()) => None,
        Some(own) if is_claimed(own.id.as_str()) => None,
        Some(own) => Some(format!(
            "the commit_hash {claimed} is not your last commit on the branch: use {}",
            own.id
        )),
        // It left all changes for gemicro to commit, and named the commit that it started from.
        None if is_claimed(&input.place.tip) => None,
        None => Some(format!(
            "the commit_hash {claimed} is not yours, and you committed nothing: commit your work, then use what `git rev-parse HEAD` prints"
        )),
    }
}

/// The text of a document in a commit, or what is wrong with it.
fn document(
    repository: &TrustedRepo,
    at: &CommitId,
    path: &str,
) -> Result<Result<String, String>, RepositoryError> {
    if let Err(refused) = DocumentPath::parse(path) {
        return Ok(Err(format!("{path}: {refused}")));
    }
    Ok(match repository.read_file(at, path, MOST_BYTES)? {
        None => Err(format!("your commits contain no file {path}: write it")),
        Some(FileAt::File { is_cut: true, .. }) => {
            Err(format!("{path} is longer than {MOST_BYTES} bytes: shorten it"))
        }
        Some(FileAt::File { bytes, .. }) => match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => Err(format!("{path} is empty: write it")),
            Ok(text) => Ok(text),
            Err(_) => Err(format!("{path} is not UTF-8 text")),
        },
        Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) => Err(format!("{path} is not a regular file")),
    })
}

/// The files of a commit.
struct CommitFiles<'a> {
    repository: &'a TrustedRepo,
    commit: CommitId,
}

impl TreeFiles for CommitFiles<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.repository.read_file(&self.commit, path, 8 * MOST_BYTES) {
            Ok(Some(FileAt::File { bytes, .. })) => Some(bytes),
            Ok(Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) | None) | Err(_) => None,
        }
    }
}
