//! A transport that refuses a request with the id of an open one before the SDK sees it. The SDK would do the work of
//! both but answer only one.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::{RoleServer, transport::Transport};

/// Passes on all messages except requests whose id is in use.
pub(crate) struct UniqueIds<T> {
    transport: T,
    open: Arc<Mutex<HashSet<RequestId>>>,
}

impl<T> UniqueIds<T> {
    pub(crate) fn new(transport: T) -> Self {
        Self {
            transport,
            open: Arc::default(),
        }
    }

    fn open(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for UniqueIds<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(response) => {
                self.open().remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.open().remove(id);
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        self.transport.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = self.transport.receive().await?;
            match &message {
                JsonRpcMessage::Request(request) => {
                    let is_new = self.open().insert(request.id.clone());
                    if !is_new {
                        let refusal =
                            JsonRpcMessage::error(duplicate_id(&request.id), Some(request.id.clone()));
                        // Bypasses `send`, so that the first request stays open.
                        if let Err(error) = self.transport.send(refusal).await {
                            tracing::debug!(%error, "a refusal could not be sent");
                        }
                        continue;
                    }
                }
                // A cancelled request gets no answer.
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.open().remove(id);
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}

/// The error for a request whose id is in use.
pub(crate) fn duplicate_id(id: &RequestId) -> ErrorData {
    let message = format!("request id {id} is in use by a request that is not answered yet; use another id");
    ErrorData::invalid_request(message, None)
}
