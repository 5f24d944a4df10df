//! Errors of a remote of the user's repository. Text from git is stored without credentials.

use gemicro_event::ErrorKind;

/// An error with a remote. None of the user's own branches was moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RemoteError {
    /// A remote that the repository does not have.
    #[error("there is no remote `{remote}`; `git remote` lists the remotes")]
    Unknown {
        /// The name as given.
        remote: String,
    },
    /// A remote whose name cannot be part of a reference.
    #[error("remote `{remote}` cannot be used: {why}; rename it with `git remote rename`")]
    BadName {
        /// The name, safe to print.
        remote: String,
        why: &'static str,
    },
    /// The repository's own settings name a program for contacting remotes.
    #[error(
        "the setting `{key}` in this repository's .git/config names a program, and gemicro does not run programs \
         configured by a repository; move the setting to your own ~/.gitconfig (`includeIf` limits it to this folder), \
         or push yourself"
    )]
    NamesProgram {
        /// The setting, safe to print.
        key: String,
    },
    /// Several remotes, and none of them is the usual one.
    #[error(
        "there are several remotes ({}) and none is `origin`; choose one with `gemicro run --remote NAME`",
        .remotes.join(", ")
    )]
    Several { remotes: Vec<String> },
    /// git cannot reach the remote; refused credentials are `Denied`.
    #[error("remote `{remote}` cannot be reached: {line}")]
    Unreachable {
        remote: String,
        /// The last line that git wrote.
        line: String,
    },
    /// The user's credentials are missing or insufficient.
    #[error(
        "remote `{remote}` denied access: {line}; check that `git fetch {remote}` works without a prompt"
    )]
    Denied {
        remote: String,
        /// The last line that git wrote.
        line: String,
    },
    /// The remote has no default branch.
    #[error(
        "remote `{remote}` has no default branch; push a branch, or set the default branch on the server"
    )]
    NoDefaultBranch { remote: String },
    /// The branch at the remote has commits that the pushed commit lacks.
    #[error(
        "{branch} was not pushed: the branch on `{remote}` has commits that are missing locally ({line}); fetch and \
         compare them"
    )]
    NotFastForward {
        remote: String,
        branch: String,
        /// The last line that git wrote.
        line: String,
    },
    /// The remote rejected the branch: it is protected, or a rule of the remote refused it.
    #[error("{branch} was refused by `{remote}`: {line}")]
    PushRefused {
        remote: String,
        branch: String,
        /// The messages of git and the remote.
        line: String,
    },
}

impl From<&RemoteError> for ErrorKind {
    fn from(error: &RemoteError) -> Self {
        match error {
            RemoteError::Unknown { .. } | RemoteError::BadName { .. } | RemoteError::Several { .. } => {
                Self::InvalidInput
            }
            RemoteError::Unreachable { .. } => Self::UpstreamError,
            RemoteError::Denied { .. } | RemoteError::PushRefused { .. } => Self::PermissionDenied,
            RemoteError::NoDefaultBranch { .. } | RemoteError::NamesProgram { .. } => {
                Self::UnsupportedRepository
            }
            RemoteError::NotFastForward { .. } => Self::Conflict,
        }
    }
}
