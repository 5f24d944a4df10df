//! Places for requests of callers with the token.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests that are answered at the same time.
pub const MAX_REQUESTS: usize = 128;
/// Requests that wait for a place at the same time.
const MAX_WAITING: usize = 128;
/// How long a request waits for a place.
const WAIT_AT_MOST: Duration = Duration::from_secs(10);

/// Places, and room to wait for them.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionPlaces {
    free: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl ConnectionPlaces {
    pub(crate) fn new() -> Self {
        Self {
            free: Arc::new(Semaphore::new(MAX_REQUESTS)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }

    /// A place, given back when it is dropped; none when all stayed taken.
    pub(crate) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = self.free.clone().try_acquire_owned() {
            return Some(place);
        }
        let _turn = self.waiting.try_acquire().ok()?;
        let place = self.free.clone().acquire_owned();
        tokio::time::timeout(WAIT_AT_MOST, place).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_for_a_place_but_not_for_ever() {
        let places = ConnectionPlaces::new();
        let mut taken = Vec::new();
        for _ in 0..MAX_REQUESTS {
            taken.push(places.take().await.expect("a place"));
        }
        assert!(places.take().await.is_none());
        let (first, ()) = tokio::join!(places.take(), async { drop(taken.pop()) });
        assert!(first.is_some());
        let waiting: Vec<_> = (0..MAX_WAITING)
            .map(|_| places.waiting.clone().try_acquire_owned())
            .collect();
        assert!(waiting.iter().all(Result::is_ok));
        assert!(places.take().await.is_none(), "there is no room to wait");
    }
}
