//! Tracks idle connections, and chooses the one to close for a new one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Maximum number of idle connections.
pub const MAX_IDLE: usize = 256;
/// Minimum time that a connection is kept: its request may have arrived but not been read yet.
const GRACE: Duration = Duration::from_millis(250);

/// The idle connections of a listener.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdleConnections {
    all: Arc<Mutex<IdleEntries>>,
    left: Arc<Notify>,
}

/// By rank: connections that never had the token first, then the others; in both groups the longest idle first.
#[derive(Debug, Default)]
struct IdleEntries {
    by_rank: BTreeMap<IdleRank, IdleEntry>,
    n_ranks: u64,
}

type IdleRank = (bool, u64);

#[derive(Debug)]
struct IdleEntry {
    since: Instant,
    evicted: CancellationToken,
}

/// One connection, idle until [`Visit::begin_request`].
#[derive(Debug)]
pub(crate) struct Visit {
    idle: IdleConnections,
    rank: Mutex<Option<IdleRank>>,
    /// Whether one of its requests had the token.
    is_known: AtomicBool,
    /// Cancelled when it must make way for another connection.
    pub(crate) evicted: CancellationToken,
}

/// A running request; its connection is idle again when this is dropped.
#[derive(Debug)]
pub(crate) struct RequestUnderWay(Arc<Visit>);

impl IdleConnections {
    /// Waits until another connection fits, and closes the longest idle one if necessary.
    pub(crate) async fn make_room(&self) {
        loop {
            let left = self.left.notified();
            let young_until = {
                let mut entries = self.entries();
                if entries.by_rank.len() < MAX_IDLE {
                    return;
                }
                let Some(first) = entries.by_rank.first_entry() else {
                    return;
                };
                let until = first.get().since + GRACE;
                if until <= Instant::now() {
                    first.remove().evicted.cancel();
                    return;
                }
                until
            };
            tokio::select! {
                () = left => {}
                () = tokio::time::sleep_until(young_until) => {}
            }
        }
    }

    pub(crate) fn enter(&self) -> Arc<Visit> {
        let visit = Arc::new(Visit {
            idle: self.clone(),
            rank: Mutex::new(None),
            is_known: AtomicBool::new(false),
            evicted: CancellationToken::new(),
        });
        visit.set_idle();
        visit
    }

    fn entries(&self) -> MutexGuard<'_, IdleEntries> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    /// Records that a whole request head arrived.
    pub(crate) fn begin_request(self: &Arc<Self>, is_known: bool) -> RequestUnderWay {
        self.is_known.fetch_or(is_known, Ordering::Relaxed);
        self.leave_idle();
        RequestUnderWay(self.clone())
    }

    fn set_idle(&self) {
        let mut entries = self.idle.entries();
        entries.n_ranks += 1;
        let rank = (self.is_known.load(Ordering::Relaxed), entries.n_ranks);
        let entry = IdleEntry {
            since: Instant::now(),
            evicted: self.evicted.clone(),
        };
        entries.by_rank.insert(rank, entry);
        *self.rank() = Some(rank);
    }

    fn leave_idle(&self) {
        let rank = self.rank().take();
        if let Some(rank) = rank {
            self.idle.entries().by_rank.remove(&rank);
            self.idle.left.notify_one();
        }
    }

    fn rank(&self) -> MutexGuard<'_, Option<IdleRank>> {
        self.rank.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestUnderWay {
    fn drop(&mut self) {
        self.0.set_idle();
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.leave_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_stranger_makes_room() {
        let idle = IdleConnections::default();
        let known = idle.enter();
        drop(known.begin_request(true));
        let busy = idle.enter();
        let request = busy.begin_request(true);
        let strangers: Vec<Arc<Visit>> = (1..MAX_IDLE).map(|_| idle.enter()).collect();
        let began = Instant::now();
        idle.make_room().await;
        assert!(
            began.elapsed() >= GRACE,
            "a young connection may have sent its request already"
        );
        let evicted: Vec<bool> = strangers
            .iter()
            .map(|visit| visit.evicted.is_cancelled())
            .collect();
        assert!(
            evicted[0] && evicted[1..].iter().all(|evicted| !evicted),
            "{evicted:?}"
        );
        assert!(!known.evicted.is_cancelled() && !busy.evicted.is_cancelled());
        drop(request);
        drop(strangers);
        let (began, rest) = (Instant::now(), idle.enter());
        idle.make_room().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
        drop((known, busy, rest));
        assert!(idle.entries().by_rank.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_leaves_makes_room_at_once() {
        let idle = IdleConnections::default();
        let mut all: Vec<Arc<Visit>> = (0..MAX_IDLE).map(|_| idle.enter()).collect();
        let began = Instant::now();
        tokio::join!(idle.make_room(), async { drop(all.pop()) });
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
