//! Takes steps from the queue: the most important due ones, within the limits of their providers.

use std::time::{Duration, Instant};

use gemicro_core::queue::{ClaimRequest, ClaimedStep, StepLease};
use gemicro_core::store::StoreError;
use gemicro_event::{Charge, Json, StepKey, Timestamp};

use super::limits::{note_starts, rooms};
use super::queue_row::ExpiredLease;
use crate::columns::Columns;
use crate::error::DbName;
use crate::leases::{LONGEST, LeaseMark};
use crate::sql::{Link, SqlRow, query};
use crate::store::DurableStore;
use crate::writer::{JobScope, WriteAction};

/// Maximum number of expired attempts that are ended at a time.
const MAX_EXPIRED: i64 = 512;

impl DurableStore {
    pub(super) async fn claim_steps(&self, claim: ClaimRequest) -> Result<Vec<ClaimedStep>, StoreError> {
        self.end_silent_attempts(claim.ttl).await?;
        if claim.max_steps == 0 {
            return Ok(Vec::new());
        }
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move { take(link, &db, claim).await })
        })
        .await
    }

    /// Ends attempts whose worker was silent for longer than its lease. Two concurrent calls are harmless: the second
    /// finds the lease gone.
    async fn end_silent_attempts(&self, ttl: Duration) -> Result<(), StoreError> {
        let (inner, longest) = (&self.inner, LONGEST.max(ttl));
        let beyond = i64::try_from(longest.as_millis()).unwrap_or(i64::MAX);
        let silent = match &inner.engine {
            crate::store::StoreEngine::Sqlite(_) => {
                let now = Timestamp::now().as_millis();
                query(SILENT).bind(now).bind(now.saturating_add(beyond))
            }
            crate::store::StoreEngine::Postgres(_) => query(SILENT_ON_SERVER).bind(beyond),
        };
        let rows = silent.bind(MAX_EXPIRED).fetch_all(&inner.readers).await;
        let rows = rows.map_err(|error| inner.db.error(error))?;
        let mut expired = Vec::new();
        for row in &rows {
            let mut found = read_expired(row, &inner.db)?;
            if !Columns::new(row, &inner.db).get::<bool>("is_over")? {
                // It expires later than any lease that this clock could have given.
                let mark = LeaseMark {
                    owner: format!("{} {}", found.worker, found.lease.token),
                    expires_at: found.lease.expires_at,
                };
                let unchanged = inner.seen_places.note(&found.lease.place, &mark, Instant::now());
                found.is_unchanged = unchanged >= longest;
                if !found.is_unchanged {
                    continue;
                }
            }
            expired.push(found);
        }
        let ended = expired.into_iter().map(|expired| async {
            match self.change(WriteAction::Expire(Box::new(expired))).await {
                Ok(_)
                | Err(StoreError::Fenced { .. } | StoreError::Ended { .. } | StoreError::Erased { .. }) => {
                    Ok(())
                }
                Err(error) => Err(error),
            }
        });
        futures_util::future::try_join_all(ended).await.map(drop)
    }
}

const SILENT: &str = "SELECT q.*, s.id AS stream, q.lease_expires_at <= $1 AS is_over \
    FROM queue q JOIN streams s ON s.no = q.stream_no \
    WHERE q.status = 'running' AND (q.lease_expires_at <= $1 OR q.lease_expires_at > $2) \
    ORDER BY q.lease_expires_at LIMIT $3";

const SILENT_ON_SERVER: &str = "SELECT q.*, s.id AS stream, q.lease_expires_at <= clock.now AS is_over \
    FROM queue q JOIN streams s ON s.no = q.stream_no, \
    (SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now) clock \
    WHERE q.status = 'running' \
    AND (q.lease_expires_at <= clock.now OR q.lease_expires_at > clock.now + $1) \
    ORDER BY q.lease_expires_at LIMIT $2";

/// A step that could be taken, with its sort key.
struct ClaimCandidate {
    order: (std::cmp::Reverse<i64>, i64, u64),
    room_idx: usize,
    step: ClaimedStep,
}

async fn take(link: &mut Link, db: &DbName, claim: ClaimRequest) -> Result<Vec<ClaimedStep>, StoreError> {
    let fail = |error| db.error(error);
    let now = link.now().await.map_err(fail)?;
    let rooms = rooms(link, db, now).await?;
    let max_steps = i64::try_from(claim.max_steps).unwrap_or(i64::MAX);
    let mut candidates: Vec<ClaimCandidate> = Vec::new();
    for (room_idx, room) in rooms.iter().enumerate().filter(|(_, room)| room.n_steps > 0) {
        let due = query(
            "SELECT q.*, s.id AS stream FROM queue q JOIN streams s ON s.no = q.stream_no \
             WHERE q.status = 'queued' AND q.provider = $1 AND q.not_before <= $2 AND q.kind = ANY($3) \
             ORDER BY q.priority DESC, q.not_before, q.no LIMIT $4 FOR UPDATE OF q SKIP LOCKED",
        );
        let rows = due
            .bind(room.provider.as_str())
            .bind(now.as_millis())
            .bind(claim.kinds.clone())
            .bind(room.n_steps.min(max_steps))
            .fetch_all(&mut *link)
            .await
            .map_err(fail)?;
        for row in &rows {
            candidates.push(ClaimCandidate::read(row, db, room_idx)?);
        }
    }
    candidates.sort_by_key(|candidate| candidate.order);
    candidates.truncate(claim.max_steps);
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let (token, expires_at) = (random_token(), now.plus(claim.ttl));
    let places = candidates.iter().map(|candidate| candidate.order.2.cast_signed());
    query(
        "UPDATE queue SET status = 'running', lease_owner = $1, lease_token = $2, lease_expires_at = $3, \
         cancel_requested = FALSE, changed_at = $4 WHERE no = ANY($5)",
    )
    .bind(claim.worker)
    .bind(token)
    .bind(expires_at.as_millis())
    .bind(now.as_millis())
    .bind(places.collect::<Vec<_>>())
    .execute(&mut *link)
    .await
    .map_err(fail)?;
    for (room_idx, room) in rooms.iter().enumerate() {
        let taken = candidates
            .iter()
            .filter(|candidate| candidate.room_idx == room_idx);
        let n_taken = taken.count() as u64;
        note_starts(link, room, n_taken, now).await.map_err(fail)?;
    }
    let steps = candidates.into_iter().map(|candidate| {
        let mut step = candidate.step;
        (step.lease.token, step.lease.expires_at) = (token, expires_at);
        step
    });
    Ok(steps.collect())
}

impl ClaimCandidate {
    fn read(row: &SqlRow, db: &DbName, room_idx: usize) -> Result<Self, StoreError> {
        let columns = Columns::new(row, db);
        let lease = read_lease(row, db)?;
        let provider = columns.get::<String>("provider")?;
        let data = Json::from_text(&columns.get::<String>("data")?);
        Ok(Self {
            order: (
                std::cmp::Reverse(columns.get("priority")?),
                columns.get("not_before")?,
                lease.place,
            ),
            room_idx,
            step: ClaimedStep {
                lease,
                kind: columns.get("kind")?,
                provider: Some(provider).filter(|provider| !provider.is_empty()),
                max_attempts: columns.get("max_attempts")?,
                data: data.map_err(|error| db.odd_row(error))?,
            },
        })
    }
}

fn read_expired(row: &SqlRow, db: &DbName) -> Result<ExpiredLease, StoreError> {
    let columns = Columns::new(row, db);
    Ok(ExpiredLease {
        lease: read_lease(row, db)?,
        worker: columns.get::<Option<String>>("lease_owner")?.unwrap_or_default(),
        charge: Charge {
            tokens: columns.number("tokens")?,
            micro_usd: columns.number("micro_usd")?,
            turns: columns.number("turns")?,
            ..Charge::ZERO
        },
        is_unchanged: false,
    })
}

fn read_lease(row: &SqlRow, db: &DbName) -> Result<StepLease, StoreError> {
    let columns = Columns::new(row, db);
    Ok(StepLease {
        stream: columns.stream("stream")?,
        step: StepKey::new(columns.get::<String>("step")?),
        attempt: columns.get("attempt")?,
        place: columns.number("no")?,
        token: columns.number("lease_token")?,
        expires_at: columns.time("lease_expires_at")?,
    })
}

/// A random token that identifies one claim; 0 means not claimed. The standard library's hash keys are seeded randomly.
fn random_token() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()).max(1)
}
