//! Reads the store of a run service without its worker, so that a stopped worker does not block readers.

use std::path::PathBuf;
use std::sync::Arc;

use gemicro_event::Failure;
use gemicro_store::DurableStore;
use tokio::sync::OnceCell;

/// A store that is opened on the first read. Only the methods of [`crate::RunService`] read it.
#[derive(Clone)]
pub struct StoreReads {
    home: PathBuf,
    /// The address of the store; `None` for the one in the state folder.
    address: Option<String>,
    /// The store, once it is open.
    store: Arc<OnceCell<DurableStore>>,
}

impl StoreReads {
    /// The store at an address, or by default the one in the state folder; nothing is opened yet.
    #[must_use]
    pub fn new(home: PathBuf, address: Option<String>) -> Self {
        Self {
            home,
            address,
            store: Arc::default(),
        }
    }

    pub(crate) fn over(store: DurableStore) -> Self {
        Self {
            store: Arc::new(OnceCell::from(store)),
            ..Self::new(PathBuf::new(), None)
        }
    }

    pub(crate) async fn store(&self) -> Result<&DurableStore, Failure> {
        let open = || DurableStore::at(&self.home, self.address.as_deref());
        Ok(self.store.get_or_try_init(open).await?)
    }

    pub(crate) async fn close(&self) {
        if let Some(store) = self.store.get() {
            store.close().await;
        }
    }
}
