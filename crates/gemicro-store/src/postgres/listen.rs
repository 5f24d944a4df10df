//! Listens for writes of other processes and wakes the subscribers in this one.
//!
//! This is only a hint: subscribers also poll, so a missed notification costs half a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gemicro_event::StreamId;
use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::task::AbortHandle;

use crate::wake::Wakes;

/// Pause between two attempts to listen.
const PAUSE: Duration = Duration::from_millis(500);

/// A server, and the task that listens to it.
#[derive(Debug)]
pub(crate) struct ListeningServer {
    pub(crate) pool: PgPool,
    /// The listening task; ends with the store. `None` until a stream is followed.
    ear: Mutex<Option<AbortHandle>>,
}

impl ListeningServer {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self {
            pool,
            ear: Mutex::new(None),
        }
    }

    pub(crate) fn listen(&self, wakes: &Arc<Wakes>) {
        let mut ear = self.ear.lock().unwrap_or_else(PoisonError::into_inner);
        if ear.is_none() {
            let listening = tokio::spawn(hear(self.pool.clone(), Arc::clone(wakes)));
            *ear = Some(listening.abort_handle());
        }
    }

    /// Stops listening and frees its connection.
    pub(crate) fn stop_listening(&self) {
        let mut ear = self.ear.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ear) = ear.take() {
            ear.abort();
        }
    }
}

impl Drop for ListeningServer {
    fn drop(&mut self) {
        self.stop_listening();
    }
}

async fn hear(pool: PgPool, wakes: Arc<Wakes>) {
    while !pool.is_closed() {
        if let Err(error) = hear_until_it_breaks(&pool, &wakes).await {
            tracing::debug!(%error, "listening to the store");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn hear_until_it_breaks(pool: &PgPool, wakes: &Wakes) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("gemicro").await?;
    loop {
        let word = listener.recv().await?;
        if let Ok(stream) = StreamId::new(word.payload()) {
            wakes.wake(&stream, || None);
        }
    }
}
