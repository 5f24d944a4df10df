//! Limits on the duration of a turn and on the recorded output.

use std::time::Duration;

/// The limits of one turn of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Maximum silence on standard output; output on standard error does not count. Time in which we owe the agent an
    /// answer is excluded.
    pub idle: Duration,
    /// Maximum silence before the agent has opened its session, if shorter than `idle`: it has nothing to think about
    /// yet, so it hangs.
    pub opening: Duration,
    /// Maximum duration of a turn.
    pub total: Duration,
    /// Maximum time for a process to end after it was asked to.
    pub grace: Duration,
    /// Maximum time that a process may keep running after its turn.
    pub linger: Duration,
    /// Maximum number of bytes kept from the start of each stream.
    pub spool_head: u64,
    /// Maximum number of bytes kept from the end of each stream.
    pub spool_tail: u64,
    /// Maximum length of a line that is parsed as an event.
    pub line_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(300),
            opening: Duration::from_secs(120),
            total: Duration::from_secs(3600),
            // A cancelled run must end within two seconds.
            grace: Duration::from_millis(1500),
            linger: Duration::from_secs(5),
            spool_head: 1 << 20,
            spool_tail: 15 << 20,
            line_bytes: 1 << 20,
        }
    }
}
