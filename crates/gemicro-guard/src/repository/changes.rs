//! What differs between the last import and what an agent offers, read from commits in quarantine that were looked
//! through before (see `new_commits`): a hostile tree would never be read to its end here.

use std::collections::BTreeSet;

use super::call::Input;
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::path_text::path_text;
use super::quarantine::{LIST_BYTES, Quarantine};

const LINK: &str = "120000";
const GITLINK: &str = "160000";
const NOTHING: &str = "000000";

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeChange {
    pub(super) path: String,
    new_mode: String,
    object: String,
    /// The size of what is there now; nothing for what is gone, and for gitlinks.
    pub(super) new_bytes: Option<u64>,
}

impl TreeChange {
    pub(super) fn is_gitlink(&self) -> bool {
        self.new_mode == GITLINK
    }

    pub(super) fn is_removed(&self) -> bool {
        self.new_mode == NOTHING
    }

    /// Whether a plain file is there now, not a link or a repository.
    pub(super) fn is_plain_file(&self) -> bool {
        !self.is_removed() && !self.is_gitlink() && self.new_mode != LINK
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeChanges {
    pub(super) files: Vec<TreeChange>,
    pub(super) n_commits: u64,
    pub(super) insertions: u64,
    pub(super) deletions: u64,
}

impl TreeChanges {
    /// Reads the differences between two commits, without what is as it is in one of the known ones.
    pub(super) fn read(
        quarantine: &Quarantine<'_>,
        old: &CommitId,
        new: &CommitId,
        known: &[CommitId],
    ) -> Result<Self, RepositoryError> {
        let mut files = raw(quarantine, old, new)?;
        for commit in known {
            let own = raw(quarantine, commit, new)?;
            let own: BTreeSet<String> = own.into_iter().map(|change| change.path).collect();
            files.retain(|change| own.contains(&change.path));
        }
        sizes(quarantine, &mut files)?;
        let (insertions, deletions) = lines(quarantine, (old, new), &files)?;
        let others: Vec<String> = known.iter().chain([old]).map(|id| format!("^{id}")).collect();
        let mut counted = vec!["rev-list", "--count", new.as_str()];
        counted.extend(others.iter().map(String::as_str).chain(["--"]));
        let count = quarantine.ok(&counted, Input::Nothing)?.text();
        Ok(Self {
            files,
            n_commits: count.parse().map_err(|_| unusable("rev-list", &count))?,
            insertions,
            deletions,
        })
    }
}

fn raw(
    quarantine: &Quarantine<'_>,
    old: &CommitId,
    new: &CommitId,
) -> Result<Vec<TreeChange>, RepositoryError> {
    let arguments = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--full-index",
        old.as_str(),
        new.as_str(),
        "--",
    ];
    parse_raw(&quarantine.ok(&arguments, Input::Nothing)?.output)
}

/// What each of these commits changed, one after the other, without sizes. A merge changed what is like in none of its
/// parents.
pub(super) fn of_each(
    quarantine: &Quarantine<'_>,
    commits: &[String],
) -> Result<Vec<TreeChange>, RepositoryError> {
    let arguments = [
        "diff-tree",
        "--stdin",
        "--no-commit-id",
        "--root",
        "-c",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--full-index",
    ];
    let asked: String = commits.iter().map(|id| format!("{id}\n")).collect();
    let input = Input::Bytes(asked.into_bytes());
    parse_raw(&quarantine.within(&arguments, input, LIST_BYTES)?.output)
}

/// `:MODE MODE OBJECT OBJECT STATUS`, then the path; a merge has one more colon, mode and object for each further parent.
fn parse_raw(output: &[u8]) -> Result<Vec<TreeChange>, RepositoryError> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut files = Vec::new();
    while let Some(facts) = fields.next().filter(|facts| !facts.is_empty()) {
        let facts = String::from_utf8_lossy(facts).into_owned();
        let path = fields.next().ok_or_else(|| unusable("diff-tree", &facts))?;
        let words: Vec<&str> = facts.trim_start_matches(':').split(' ').collect();
        let n_parents = facts.bytes().take_while(|byte| *byte == b':').count();
        if n_parents == 0 || words.len() != 2 * n_parents + 3 {
            return Err(unusable("diff-tree", &facts));
        }
        files.push(TreeChange {
            path: path_text(path),
            new_mode: words[n_parents].to_owned(),
            object: words[2 * n_parents + 1].to_owned(),
            new_bytes: None,
        });
    }
    Ok(files)
}

fn sizes(quarantine: &Quarantine<'_>, files: &mut [TreeChange]) -> Result<(), RepositoryError> {
    let has_size = |change: &&mut TreeChange| !change.is_gitlink() && !change.is_removed();
    let asked: String = files
        .iter_mut()
        .filter(has_size)
        .map(|change| format!("{}\n", change.object))
        .collect();
    let arguments = ["cat-file", "--batch-check=%(objectsize)"];
    let text = quarantine
        .ok(&arguments, Input::Bytes(asked.into_bytes()))?
        .text();
    let mut answers = text.lines();
    for change in files.iter_mut().filter(has_size) {
        let size = answers.next().and_then(|line| line.parse().ok());
        change.new_bytes = Some(size.ok_or_else(|| unusable("cat-file", &change.object))?);
    }
    Ok(())
}

/// Lines that came to these files and lines that went; binary files have none.
fn lines(
    quarantine: &Quarantine<'_>,
    (old, new): (&CommitId, &CommitId),
    files: &[TreeChange],
) -> Result<(u64, u64), RepositoryError> {
    let arguments = [
        "diff-tree",
        "-r",
        "-z",
        "--numstat",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
    ];
    let mut arguments = arguments.to_vec();
    arguments.extend([old.as_str(), new.as_str(), "--"]);
    let answer = quarantine.ok(&arguments, Input::Nothing)?;
    let counted: BTreeSet<&str> = files.iter().map(|change| change.path.as_str()).collect();
    let mut sums = (0, 0);
    for entry in answer.output.split(|byte| *byte == 0) {
        let entry = String::from_utf8_lossy(entry);
        let mut words = entry.splitn(3, '\t');
        let mut number = || {
            words
                .next()
                .and_then(|word| word.parse::<u64>().ok())
                .unwrap_or(0)
        };
        let (insertions, deletions) = (number(), number());
        if words.next().is_some_and(|path| counted.contains(path)) {
            sums.0 += insertions;
            sums.1 += deletions;
        }
    }
    Ok(sums)
}

/// The next object of `cat-file --batch`: a line that ends in the size, the bytes, a line break.
pub(super) fn next_object(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(output.get(..end)?).ok()?;
    let n_bytes: usize = line.rsplit(' ').next()?.parse().ok()?;
    let (bytes, rest) = output.get(end + 1..)?.split_at_checked(n_bytes)?;
    Some((bytes, rest.get(1..)?))
}

fn unusable(command: &str, what: &str) -> RepositoryError {
    RepositoryError::GitAnswer {
        command: command.to_owned(),
        why: format!("unexpected `{what}`"),
    }
}
