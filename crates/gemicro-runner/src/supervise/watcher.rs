//! The interface for watching a run and answering its questions.

use std::net::TcpListener;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use gemicro_event::ErrorKind;
use gemicro_guard::policy::Denial;
use gemicro_guard::sandbox::ProcessHandle;

use crate::item::AgentItem;
use crate::permission::{PermissionAnswer, PermissionRequest};

/// Watches a run. Called from the supervising task, so it must not block.
pub trait RunWatcher: Send {
    /// The process runs; called in each turn of a long-running one. Store the handle: it helps to find processes left
    /// by a dead gemicro.
    fn on_started(&mut self, _handle: &ProcessHandle) {}

    /// The listener on which the agent reaches its gateway. Called once per process, before its program starts.
    fn gateway(&mut self, _listener: TcpListener) {}

    /// The agent said or did something; redacted.
    fn item(&mut self, _item: AgentItem) {}

    /// The agent asks for permission to use a tool; not redacted. The default is to refuse.
    fn permission(&mut self, _request: &PermissionRequest) -> BoxFuture<'static, PermissionAnswer> {
        let reason = Denial::not_approved().message();
        ready(PermissionAnswer::Deny { reason }).boxed()
    }

    /// Error that the gateway saw in the model's last answer; called once, at the end of a turn.
    fn upstream(&mut self) -> Option<ErrorKind> {
        None
    }
}

/// Ignores everything, and allows nothing.
impl RunWatcher for () {}
