//! Slots for requests with the token.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of requests answered at the same time.
pub const MAX_REQUESTS: usize = 128;
/// Maximum number of requests that wait for a slot.
const MAX_WAITING: usize = 128;
/// Maximum time that a request waits for a slot.
const WAIT_AT_MOST: Duration = Duration::from_secs(10);

/// The request slots, and those for waiting.
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

    /// A slot, released when it is dropped; `None` if no slot became free.
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
