//! Signals that a fake agent ignores or dies from.

use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

/// A signal name, without `SIG`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SignalName {
    /// The terminal was closed.
    Hup,
    /// Ctrl-C in a terminal.
    Int,
    /// Ctrl-\ in a terminal; dumps core by default.
    Quit,
    /// The usual request to end.
    Term,
    /// User-defined.
    Usr1,
    /// User-defined.
    Usr2,
    /// A crash. Cannot be ignored.
    Segv,
    /// A crash by `abort()`.
    Abrt,
    /// Ends the process at once. Cannot be ignored.
    Kill,
}

impl SignalName {
    pub(super) fn signal(self) -> Signal {
        match self {
            Self::Hup => Signal::HUP,
            Self::Int => Signal::INT,
            Self::Quit => Signal::QUIT,
            Self::Term => Signal::TERM,
            Self::Usr1 => Signal::USR1,
            Self::Usr2 => Signal::USR2,
            Self::Segv => Signal::SEGV,
            Self::Abrt => Signal::ABORT,
            Self::Kill => Signal::KILL,
        }
    }
}

/// Ignores signals for as long as it exists.
#[derive(Debug, Default)]
pub(super) struct IgnoredSignals {
    runtime: Option<tokio::runtime::Runtime>,
}

impl IgnoredSignals {
    /// Ignores these as well: each is caught, but not handled.
    pub(super) fn add(&mut self, names: &[SignalName]) -> std::io::Result<()> {
        let runtime = match &self.runtime {
            Some(runtime) => runtime,
            None => {
                let made = tokio::runtime::Builder::new_current_thread()
                    .enable_io()
                    .build()?;
                self.runtime.insert(made)
            }
        };
        let _inside = runtime.enter();
        for name in names {
            // The handler stays installed when the listener is dropped.
            drop(signal(SignalKind::from_raw(name.signal().as_raw()))?);
        }
        Ok(())
    }
}

/// Sends a signal to this process.
pub(super) fn die_of(name: SignalName) -> std::io::Result<()> {
    rustix::process::kill_process(rustix::process::getpid(), name.signal())?;
    Ok(())
}
