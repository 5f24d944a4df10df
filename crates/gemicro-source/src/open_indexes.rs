//! Keeps search indexes open in this process: [`OpenIndexes`].
//!
//! If several steps ask for an index at the same time, it is opened or built once, and all of them get the same index
//! or the same failure. An index is dropped when no step has used it for a while. This file does not know where an
//! index comes from; see `library`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use gemicro_core::blob::BlobId;
use gemicro_core::corpus::Corpus;
use gemicro_event::Failure;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// Time after which an unused index is dropped.
const KEEP_FOR: Duration = Duration::from_secs(60);
/// Maximum number of unused indexes that are kept.
const MAX_UNUSED: usize = 4;
/// Maximum number of simultaneous builds: each takes about 100 MB.
const MAX_BUILDS: usize = 2;

/// An index, or why there is none.
pub(crate) type OpenedIndex = Result<Arc<dyn Corpus>, Failure>;

/// An index that is open or being opened, shared by all callers that wait for it.
type SharedIndex = Shared<BoxFuture<'static, OpenedIndex>>;

/// Indexes by the blob of their texts; clones share the same indexes.
#[derive(Clone)]
pub struct OpenIndexes {
    inner: Arc<Inner>,
}

struct Inner {
    slots: Mutex<HashMap<BlobId, IndexSlot>>,
    builds: Semaphore,
}

/// One index, open or being opened.
struct IndexSlot {
    index: SharedIndex,
    last_use: Instant,
}

impl Default for OpenIndexes {
    fn default() -> Self {
        Self {
            inner: Arc::new(Inner {
                slots: Mutex::default(),
                builds: Semaphore::new(MAX_BUILDS),
            }),
        }
    }
}

impl OpenIndexes {
    /// The index of a pack; `open` is awaited only if the index is neither open nor being opened.
    pub(crate) async fn get(
        &self,
        pack: &BlobId,
        open: impl Future<Output = OpenedIndex> + Send + 'static,
    ) -> OpenedIndex {
        let index = self.inner.slot(pack, open);
        index.await
    }

    /// Waits until an index may be built.
    pub(crate) async fn may_build(&self) -> SemaphorePermit<'_> {
        let permit = self.inner.builds.acquire().await;
        permit.expect("the semaphore is never closed")
    }
}

impl Inner {
    /// The slot of a pack, created if there is none.
    fn slot(
        self: &Arc<Self>,
        pack: &BlobId,
        open: impl Future<Output = OpenedIndex> + Send + 'static,
    ) -> SharedIndex {
        let mut slots = self.lock();
        if let Some(slot) = slots.get_mut(pack) {
            slot.last_use = Instant::now();
            return slot.index.clone();
        }
        let index = open.boxed().shared();
        let slot = IndexSlot {
            index: index.clone(),
            last_use: Instant::now(),
        };
        slots.insert(pack.clone(), slot);
        tokio::spawn(watch(Arc::downgrade(self), pack.clone(), index.clone()));
        index
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BlobId, IndexSlot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the least recently used indexes while too many are kept.
    fn drop_surplus(&self, newest: &BlobId) {
        let mut slots = self.lock();
        let unused = slots
            .iter()
            .filter(|(pack, slot)| *pack != newest && slot.is_unused());
        let mut unused: Vec<(Instant, BlobId)> =
            unused.map(|(pack, slot)| (slot.last_use, pack.clone())).collect();
        unused.sort();
        let n_surplus = (unused.len() + 1).saturating_sub(MAX_UNUSED);
        for (_, pack) in unused.into_iter().take(n_surplus) {
            slots.remove(&pack);
        }
    }

    /// Drops the index if it was not used for a while; returns whether there is nothing left to drop.
    fn drop_if_idle(&self, pack: &BlobId) -> bool {
        let mut slots = self.lock();
        let Some(slot) = slots.get(pack) else {
            return true;
        };
        let is_idle = slot.is_unused() && slot.last_use.elapsed() >= KEEP_FOR;
        if is_idle {
            slots.remove(pack);
        }
        is_idle
    }
}

impl IndexSlot {
    /// Whether it is open and no step uses it.
    fn is_unused(&self) -> bool {
        match self.index.peek() {
            Some(Ok(index)) => Arc::strong_count(index) == 1,
            Some(Err(_)) => true,
            None => false,
        }
    }
}

/// Opens an index even if the step that asked for it is cancelled, and drops it when it is no longer used.
async fn watch(inner: Weak<Inner>, pack: BlobId, index: SharedIndex) {
    let is_open = index.await.is_ok();
    if let Some(inner) = inner.upgrade() {
        if is_open {
            inner.drop_surplus(&pack);
        } else {
            // The next step tries again.
            inner.lock().remove(&pack);
            return;
        }
    }
    loop {
        tokio::time::sleep(KEEP_FOR).await;
        match inner.upgrade() {
            Some(inner) if !inner.drop_if_idle(&pack) => {}
            Some(_) | None => return,
        }
    }
}
