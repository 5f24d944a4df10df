//! Whoever wants to see a run while it happens, and answers for it.

use std::net::TcpListener;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use gemicro_event::ErrorKind;
use gemicro_guard::sandbox::ProcessHandle;

use crate::item::AgentItem;
use crate::permission::{PermissionAnswer, PermissionRequest};

/// Sees a run from inside. Called from the supervising task: nothing here may block.
pub trait RunWatcher: Send {
    /// The process runs; told at each turn of a warm one. Write the handle down: leftovers of a dead gemicro are found
    /// by it.
    fn on_started(&mut self, _handle: &ProcessHandle) {}

    /// What the agent reaches as its gateway: accept on it. Comes once for a process, before its program
    /// begins.
    fn gateway(&mut self, _listener: TcpListener) {}

    /// Something that the agent said or did, redacted.
    fn item(&mut self, _item: AgentItem) {}

    /// The agent asks for leave to use a tool; here nothing is redacted. The default is no.
    fn permission(&mut self, _request: &PermissionRequest) -> BoxFuture<'static, PermissionAnswer> {
        let reason = "Permission Denied: no user is available to approve it".to_owned();
        ready(PermissionAnswer::Deny { reason }).boxed()
    }

    /// What the gateway saw wrong with the model's last answer; asked once, at the end of a turn.
    fn upstream(&mut self) -> Option<ErrorKind> {
        None
    }
}

/// Nobody watches, and nothing is allowed.
impl RunWatcher for () {}
