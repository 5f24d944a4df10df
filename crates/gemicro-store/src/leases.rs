//! Leases of runs and of steps, safe against clocks that are set back.
//!
//! A lease has an end time. If the clock is set back, the lease of a dead process would last for hours, so the leases
//! of others are remembered: one that was not renewed for its length, by this process's own monotonic clock, is over,
//! whatever the end time says. In SQLite, so is one whose holder is known to be dead.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gemicro_core::store::{Lease, StoreError};
use gemicro_event::{StreamId, Timestamp};

use crate::columns::Columns;
use crate::sql::query;
use crate::store::{DurableStore, StoreEngine};
use crate::writer::WriteAction;

/// Maximum length of a lease, unless the caller itself uses longer ones.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);
/// Maximum number of remembered leases.
const MAX_SEEN: usize = 4_096;

/// Identifies one state of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeaseMark {
    pub(crate) owner: String,
    pub(crate) expires_at: Timestamp,
}

/// The driver that took a run last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunHolder {
    /// Its process, as it named itself.
    pub owner: String,
    /// Whether its lease lasts.
    pub is_held: bool,
}

/// The leases of others, and since when each has been unchanged: `None` for one whose holder is dead.
#[derive(Debug)]
pub(crate) struct SeenLeases<K> {
    by_key: Mutex<HashMap<K, (LeaseMark, Option<Instant>)>>,
}

impl<K> Default for SeenLeases<K> {
    fn default() -> Self {
        Self {
            by_key: Mutex::default(),
        }
    }
}

impl<K: Clone + Eq + Hash> SeenLeases<K> {
    /// Records the current state of a lease; returns how long it has been unchanged.
    pub(crate) fn note(&self, key: &K, mark: &LeaseMark, now: Instant) -> Duration {
        let mut seen = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get(key) {
            Some((before, Some(since))) if before == mark => now.saturating_duration_since(*since),
            Some((before, None)) if before == mark => Duration::MAX,
            Some(_) | None => {
                if seen.len() >= MAX_SEEN {
                    seen.clear();
                }
                seen.insert(key.clone(), (mark.clone(), Some(now)));
                Duration::ZERO
            }
        }
    }

    /// Records that the holder of a lease in this state is dead.
    pub(crate) fn end(&self, key: &K, mark: LeaseMark) {
        let mut seen = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(key.clone(), (mark, None));
    }
}

impl DurableStore {
    pub(crate) async fn take_lease_of(
        &self,
        stream: StreamId,
        owner: String,
        ttl: Duration,
    ) -> Result<Lease, StoreError> {
        let take = |over: Option<LeaseMark>| WriteAction::TakeLease {
            stream: stream.clone(),
            owner: owner.clone(),
            ttl,
            over,
        };
        let taken = self.change(take(None)).await;
        let done = match &taken {
            Err(StoreError::LeaseHeld {
                owner, expires_at, ..
            }) => {
                let mark = LeaseMark {
                    owner: owner.clone(),
                    expires_at: *expires_at,
                };
                let unchanged = self.inner.seen_leases.note(&stream, &mark, Instant::now());
                match unchanged < LONGEST.max(ttl) {
                    true => taken?,
                    false => self.change(take(Some(mark))).await?,
                }
            }
            Ok(_) | Err(_) => taken?,
        };
        done.lease.ok_or(StoreError::LeaseLost { stream })
    }

    /// Ends a lease whose holder is known to be dead, unless it is renewed: the next attempt to take it succeeds.
    ///
    /// Returns whether it did. It does not in a shared store: another machine may have the same name, and its process
    /// may live; its lease expires by itself.
    pub fn end_lease_of_dead(&self, stream: &StreamId, owner: &str, expires_at: Timestamp) -> bool {
        let is_embedded = matches!(self.inner.engine, StoreEngine::Sqlite(_));
        if is_embedded {
            let owner = owner.to_owned();
            self.inner
                .seen_leases
                .end(stream, LeaseMark { owner, expires_at });
        }
        is_embedded
    }

    /// Whether a driver currently holds a run.
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn is_held(&self, run: &StreamId) -> Result<bool, StoreError> {
        Ok(self.holder(run).await?.is_some_and(|holder| holder.is_held))
    }

    /// The driver that took a run last; `None` if it left the run in order.
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn holder(&self, run: &StreamId) -> Result<Option<RunHolder>, StoreError> {
        let db = &self.inner.db;
        let held = match self.inner.engine {
            StoreEngine::Sqlite(_) => query(
                "SELECT lease_owner, lease_expires_at, lease_expires_at > $2 AS is_held FROM streams WHERE id = $1",
            )
            .bind(run.as_str())
            .bind(Timestamp::now().as_millis()),
            StoreEngine::Postgres(_) => query(
                "SELECT lease_owner, lease_expires_at, lease_expires_at > \
                 CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS is_held FROM streams WHERE id = $1",
            )
            .bind(run.as_str()),
        };
        let row = held.fetch_optional(&self.inner.readers).await;
        let row = row.map_err(|error| db.error(error))?;
        let row = row.ok_or_else(|| StoreError::NotFound {
            stream: run.to_string(),
        })?;
        let columns = Columns::new(&row, db);
        let Some(owner) = columns.get::<Option<String>>("lease_owner")? else {
            return Ok(None);
        };
        let expires_at = columns.time("lease_expires_at")?;
        let is_held = columns.get::<bool>("is_held")? && {
            let mark = LeaseMark {
                owner: owner.clone(),
                expires_at,
            };
            self.inner.seen_leases.note(run, &mark, Instant::now()) < LONGEST
        };
        Ok(Some(RunHolder { owner, is_held }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lease_that_no_one_renews_grows_old() {
        let (seen, stream, start) = (SeenLeases::default(), StreamId::random(), Instant::now());
        let mark = |owner: &str, expires_at| LeaseMark {
            owner: owner.to_owned(),
            expires_at: Timestamp::from_millis(expires_at),
        };
        let at = |millis| start + Duration::from_millis(millis);
        let note = |mark: &LeaseMark, millis| seen.note(&stream, mark, at(millis)).as_millis();
        assert_eq!(note(&mark("a", 10), 0), 0);
        assert_eq!(note(&mark("a", 10), 700), 700);
        assert_eq!(note(&mark("a", 20), 900), 0, "renewed");
        assert_eq!(note(&mark("a", 20), 950), 50);
        assert_eq!(note(&mark("b", 20), 990), 0, "another holder");
        let other = seen.note(&StreamId::random(), &mark("b", 20), at(999));
        assert_eq!(other, Duration::ZERO, "another run");
        assert_eq!(note(&mark("b", 20), 1_990), 1_000);
        seen.end(&stream, mark("b", 20));
        assert_eq!(
            seen.note(&stream, &mark("b", 20), at(1_991)),
            Duration::MAX,
            "dead"
        );
        assert_eq!(note(&mark("b", 30), 1_992), 0, "renewed: not dead");
    }
}
