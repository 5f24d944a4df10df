//! How long and how large anything may be.

use std::time::Duration;

/// How long a connection may take.
pub(crate) const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long one question may take, with its answer.
pub(crate) const TOTAL_TIME: Duration = Duration::from_secs(30);
/// The most that is read of an answer, in bytes.
pub(crate) const BODY_BYTES: usize = 16 << 20;
/// The waits between tries; one try more than there are waits.
pub(crate) const WAITS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// The longest wait that a forge is believed to ask for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
