//! Limits on time and size.

use std::time::Duration;

/// Maximum time to connect.
pub(crate) const CONNECT_TIME: Duration = Duration::from_secs(10);
/// Maximum time for one call, including its answer.
pub(crate) const TOTAL_TIME: Duration = Duration::from_secs(30);
/// Maximum size of an answer.
pub(crate) const BODY_BYTES: usize = 16 << 20;
/// Waits between attempts; there is one more attempt than waits.
pub(crate) const WAITS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];
/// Maximum wait that a forge may ask for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
