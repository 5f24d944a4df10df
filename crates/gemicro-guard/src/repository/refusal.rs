//! Reasons to refuse an agent's commits. The checks are in `rules` and `import`.

use super::commit_id::CommitId;
use super::report::ImportWarning;

/// Why an agent's commits were not imported. The task can be rebuilt from its last import.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ImportRefusal {
    /// A commit contains a file that was copied into the task for use only.
    #[error("{path} was copied into the task to be used, not to be committed; remove it from your commits")]
    Lent { path: String },
    /// A commit contains a secret from such a file.
    #[error(
        "{place} contains a secret from {from}, which was copied into the task for use only; do not commit any part of it"
    )]
    Secret {
        /// The object or path where it was found.
        place: String,
        /// The file that it is from.
        from: String,
    },
    /// Something replaces a folder in the path of such a file.
    #[error(
        "{path} conflicts with the path of {lent}, which is copied into the task; remove it from your commits"
    )]
    InTheWay { path: String, lent: String },
    /// A file that others write.
    #[error("{path} must stay as it is: {rule}; remove it from your commits")]
    Reserved {
        path: String,
        /// The writer of the file, as the reason why the agent must not write it.
        rule: String,
    },
    /// Something replaces a folder that is needed.
    #[error("{path} replaces the folder {folder}, where documents are written; restore the folder")]
    NoFolder { path: String, folder: String },
    /// Something in a folder of documents is not a document.
    #[error(
        "{path} is not a document: only plain files up to 4 MiB are imported there, no links, no repositories, no folders named `*.md`"
    )]
    NotPlain { path: String },
    /// The bundle does not exist, or is not a plain file.
    #[error("the bundle is not a regular file ({why})")]
    NotAFile {
        /// What it is instead.
        why: String,
    },
    /// The bundle is too big.
    #[error("the bundle has more than {limit} bytes")]
    TooBig { limit: u64 },
    /// The bundle's header is not one that our own command writes.
    #[error("the bundle's header is not usable: {why}")]
    Header { why: String },
    /// The objects are broken, forbidden or incomplete.
    #[error("the objects are damaged, incomplete or not allowed: {line}")]
    Objects {
        /// The last line that git wrote.
        line: String,
    },
    /// The branch's new tip is not a commit.
    #[error("the branch does not point to a commit")]
    NotACommit,
    /// Commits that were imported before are missing.
    #[error("history was rewritten: {old} is not an ancestor of {new}")]
    Rewritten {
        /// The last imported commit.
        old: CommitId,
        /// The agent's tip instead.
        new: CommitId,
    },
    /// Faults that the importing code found in the commits.
    #[error("{}", faults.join("; "))]
    Faulty { faults: Vec<String> },
    /// The tree has more files than can be listed.
    #[error("the tree has too many files")]
    TooManyFiles,
    /// The tree has folders nested too deeply.
    #[error("the folders of the tree are nested too deeply")]
    TooDeep,
    /// More commits than a task branch may have.
    #[error("there are more than {limit} new commits in one import")]
    TooManyCommits { limit: usize },
    /// A commit message is too long.
    #[error("the message of commit {commit} is too long; keep each message below 60 KB")]
    LongMessage { commit: String },
    /// The files are too big: a small bundle can contain huge ones.
    #[error("the files in the new commits have {bytes} bytes, more than {limit}")]
    TooMuch { bytes: u64, limit: u64 },
    /// Files that this agent must not change.
    #[error("{} is outside the paths that may be changed ({}){}", .paths.first().map_or("a file", String::as_str), .allowed.join(", "), more(*.n_paths, "paths"))]
    Outside {
        /// The first of them, safe to print.
        paths: Vec<String>,
        /// How many there are.
        n_paths: usize,
        /// The paths that may be changed.
        allowed: Vec<String>,
    },
    /// Symbolic links that lead out of the tree.
    #[error("{} points outside the tree{}", .0.first().map_or("a link", |first| first.path.as_str()), more(.0.len(), "links"))]
    EscapingLinks(Vec<ImportWarning>),
}

fn more(n_all: usize, what: &str) -> String {
    match n_all {
        0 | 1 => String::new(),
        _ => format!(", and {} more {what}", n_all - 1),
    }
}
