//! What is seen of an agent while it works: its own items, and what the gateway tells.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use gemicro_core::execute::StepReporter;
use gemicro_core::live::LiveText;
use gemicro_event::{ErrorKind, Json};
use gemicro_llm::gateway::{Gateway, GatewayNote, NoteKind, Observer, QuotaKind, RefusedWhy, Serving};
use gemicro_runner::AgentItem;
use gemicro_runner::supervise::{ProcessHandle, Watcher};
use tokio_util::sync::CancellationToken;

/// Counts and passes on.
pub(super) struct Seen {
    pub(super) live: LiveText,
    pub(super) reporter: StepReporter,
    pub(super) gateway: Option<Gateway>,
    pub(super) upstream: Upstream,
    /// The agent's listener, for as long as it works.
    pub(super) serving: Option<Serving>,
    /// Tools it wanted to use.
    pub(super) n_tool_calls: u64,
}

/// What the gateway saw wrong with the last answer of the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Upstream(Arc<Mutex<Option<ErrorKind>>>);

impl Upstream {
    fn set(&self, kind: Option<ErrorKind>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kind;
    }

    fn get(&self) -> Option<ErrorKind> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens to the gateway; ends the agent when its budget is used up, for it may try again for a long time.
    pub(super) fn observer(&self, stop: CancellationToken) -> Observer {
        let upstream = self.clone();
        Observer::new(move |note: GatewayNote| match note.kind {
            NoteKind::Settled { usage: Some(_), .. } => upstream.set(None),
            NoteKind::Limited { quota } => upstream.set(Some(match quota.kind {
                QuotaKind::Rate => ErrorKind::RateLimited,
                QuotaKind::Long | QuotaKind::Credit => ErrorKind::QuotaExhausted,
            })),
            NoteKind::Refused { refused, .. } => {
                if let RefusedWhy::Budget(_) | RefusedWhy::Price = refused.why {
                    upstream.set(Some(ErrorKind::BudgetExceeded));
                    stop.cancel();
                }
            }
            _ => {}
        })
    }
}

impl Watcher for Seen {
    fn started(&mut self, handle: &ProcessHandle) {
        if let Ok(handle) = Json::of(handle) {
            self.reporter.handle(handle);
        }
    }

    fn gateway(&mut self, listener: TcpListener) {
        let served = self.gateway.as_ref().map(|gateway| gateway.serve(listener));
        match served {
            Some(Ok(serving)) => self.serving = Some(serving),
            Some(Err(error)) => self.reporter.alarm(format!("the gateway cannot listen: {error}")),
            None => {}
        }
    }

    fn item(&mut self, item: AgentItem) {
        match item {
            AgentItem::Text { text } => self.live.push(&text),
            AgentItem::ToolCall { .. } => self.n_tool_calls += 1,
            AgentItem::Alarm { message, .. } => self.reporter.alarm(message),
            _ => {}
        }
    }

    fn upstream(&mut self) -> Option<ErrorKind> {
        self.upstream.get()
    }
}
