//! How long an agent may take, and how much of what it prints is kept.

use std::time::Duration;

/// The limits of one turn of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// The longest silence on standard output; noise on standard error is no sign of life. Time in which we owe
    /// the agent an answer does not count.
    pub idle: Duration,
    /// The longest such silence before the agent has opened its session, where that is shorter: it has nothing to think
    /// about yet, so it hangs.
    pub opening: Duration,
    /// The longest turn, silent or not.
    pub total: Duration,
    /// How long a process may take to end after it was asked to.
    pub grace: Duration,
    /// How long a process may stay after its turn is over.
    pub linger: Duration,
    /// Bytes kept from the start of each stream.
    pub spool_head: u64,
    /// Bytes kept from the end of each stream.
    pub spool_tail: u64,
    /// The longest line that is read as an event.
    pub line_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(300),
            opening: Duration::from_secs(120),
            total: Duration::from_secs(3600),
            // A cancelled run must be over in two seconds.
            grace: Duration::from_millis(1500),
            linger: Duration::from_secs(5),
            spool_head: 1 << 20,
            spool_tail: 15 << 20,
            line_bytes: 1 << 20,
        }
    }
}
