//! Extends the leases of workers that are still alive.

use std::collections::HashMap;
use std::time::Duration;

use gemicro_core::queue::{Heartbeat, QueueState, StepLease};
use gemicro_core::store::StoreError;

use crate::columns::Columns;
use crate::error::DbName;
use crate::sql::{Link, query};
use crate::store::DurableStore;
use crate::writer::JobScope;

impl DurableStore {
    pub(super) async fn extend_leases(
        &self,
        leases: Vec<StepLease>,
        ttl: Duration,
    ) -> Result<Vec<Heartbeat>, StoreError> {
        if leases.is_empty() {
            return Ok(Vec::new());
        }
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |link| {
            Box::pin(async move { extend(link, &db, &leases, ttl).await })
        })
        .await
    }
}

async fn extend(
    link: &mut Link,
    db: &DbName,
    leases: &[StepLease],
    ttl: Duration,
) -> Result<Vec<Heartbeat>, StoreError> {
    let fail = |error| db.error(error);
    let held = query(
        "SELECT no, attempt, status, lease_token, cancel_requested FROM queue WHERE no = ANY($1) \
         ORDER BY no FOR UPDATE",
    );
    let places: Vec<i64> = leases.iter().map(|lease| lease.place.cast_signed()).collect();
    let rows = held.bind(places).fetch_all(&mut *link).await.map_err(fail)?;
    let expires_at = link.now().await.map_err(fail)?.plus(ttl);
    let mut found = HashMap::new();
    for row in &rows {
        let columns = Columns::new(row, db);
        if columns.queue_state("status")? == QueueState::Running {
            let fence = (columns.get::<u32>("attempt")?, columns.number("lease_token")?);
            found.insert(
                columns.number("no")?,
                (fence, columns.get::<bool>("cancel_requested")?),
            );
        }
    }
    let answer = |lease: &StepLease| match found.get(&lease.place) {
        Some((fence, is_cancelled)) if *fence == (lease.attempt, lease.token) => {
            if *is_cancelled {
                Heartbeat::CancelRequested { expires_at }
            } else {
                Heartbeat::Alive { expires_at }
            }
        }
        Some(_) | None => Heartbeat::Lost,
    };
    let answers: Vec<Heartbeat> = leases.iter().map(answer).collect();
    let alive = leases.iter().zip(&answers);
    let alive = alive.filter(|(_, answer)| **answer != Heartbeat::Lost);
    let alive: Vec<i64> = alive.map(|(lease, _)| lease.place.cast_signed()).collect();
    query("UPDATE queue SET lease_expires_at = $1 WHERE no = ANY($2)")
        .bind(expires_at.as_millis())
        .bind(alive)
        .execute(link)
        .await
        .map_err(fail)?;
    Ok(answers)
}
