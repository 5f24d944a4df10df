//! Errors of starting a sandbox. After any of them the command must not be started.

use std::path::PathBuf;

use gemicro_event::ErrorKind;

use super::profile::WriteMode;
use super::tier::Tier;

/// Why a sandbox cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SandboxError {
    /// No sandbox tier of this machine can enforce what the mode promises.
    #[error("no sandbox is available for mode {mode:?}")]
    Unavailable {
        /// The mode asked for.
        mode: WriteMode,
    },
    /// A path of the profile does not exist, or is not absolute.
    #[error("cannot use {path} in a sandbox")]
    Path {
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Working in this folder would defeat the sandbox.
    #[error("an agent cannot work in {path}: {why}; choose another folder")]
    Workspace { path: PathBuf, why: &'static str },
    /// The tier cannot make a path read-only or invisible inside an open folder.
    #[error(
        "the {tier}-only sandbox cannot protect {path}; install bubblewrap (`apt install bubblewrap`) and try again"
    )]
    CannotShut { path: PathBuf, tier: Tier },
    /// The kernel refused a part of the sandbox.
    #[error("cannot set up the sandbox: {wall} failed")]
    Refused {
        wall: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The profile passed to the launcher is not readable.
    #[error("the launcher's profile is not readable")]
    Profile(#[from] serde_json::Error),
    /// The command could not be started inside the sandbox.
    #[error("cannot start {program} in the sandbox")]
    Start {
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl SandboxError {
    /// The error with its causes, in one line.
    #[cfg(target_os = "linux")]
    pub(super) fn with_sources(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            text = format!("{text}: {error}");
            source = error.source();
        }
        text
    }

    /// The error for a part of the sandbox that the kernel refused.
    pub(super) fn wall_refused(
        wall: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Refused {
            wall,
            source: source.into(),
        }
    }
}

impl From<&SandboxError> for ErrorKind {
    fn from(error: &SandboxError) -> Self {
        match error {
            SandboxError::Start { source, .. } => match source.kind() {
                std::io::ErrorKind::PermissionDenied => Self::PermissionDenied,
                _ => Self::CommandNotFound,
            },
            SandboxError::Workspace { .. } => Self::InvalidInput,
            _ => Self::SandboxUnavailable,
        }
    }
}
