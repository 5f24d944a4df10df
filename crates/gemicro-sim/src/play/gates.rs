//! Named gates that hold replies until a test opens them.

use std::collections::{BTreeMap, BTreeSet};

use tokio::sync::watch;

/// All gates of a simulator. A gate is closed until opened, and then stays open until a reset.
#[derive(Debug)]
pub struct ReplyGates {
    state: watch::Sender<GatesState>,
}

#[derive(Debug, Default)]
struct GatesState {
    open: BTreeSet<String>,
    waiting: BTreeMap<String, usize>,
}

impl ReplyGates {
    pub(crate) fn new() -> Self {
        Self {
            state: watch::Sender::new(GatesState::default()),
        }
    }

    /// Opens a gate: waiting and later replies pass.
    pub fn open(&self, name: &str) {
        self.state.send_modify(|state| {
            state.open.insert(name.to_owned());
        });
    }

    /// Number of replies waiting at a gate.
    pub fn n_waiting(&self, name: &str) -> usize {
        self.state.borrow().waiting.get(name).copied().unwrap_or(0)
    }

    /// Waits until at least this many replies wait at a gate.
    pub async fn wait_until_reached(&self, name: &str, n_replies: usize) {
        let mut changes = self.state.subscribe();
        // The sender lives as long as `self`, so this cannot fail.
        let _ = changes
            .wait_for(|state| state.waiting.get(name).copied().unwrap_or(0) >= n_replies)
            .await;
    }

    /// Closes all gates again.
    pub(crate) fn reset(&self) {
        self.state.send_modify(|state| state.open.clear());
    }

    pub(crate) async fn pass(&self, name: &str) {
        let mut changes = self.state.subscribe();
        let _waiting = WaitingReply::enter(self, name);
        let _ = changes.wait_for(|state| state.open.contains(name)).await;
    }
}

/// Counts one waiting reply, until it passes or is dropped.
struct WaitingReply<'g> {
    gates: &'g ReplyGates,
    name: &'g str,
}

impl<'g> WaitingReply<'g> {
    fn enter(gates: &'g ReplyGates, name: &'g str) -> Self {
        gates
            .state
            .send_modify(|state| *state.waiting.entry(name.to_owned()).or_default() += 1);
        Self { gates, name }
    }
}

impl Drop for WaitingReply<'_> {
    fn drop(&mut self) {
        self.gates.state.send_modify(|state| {
            if let Some(n_waiting) = state.waiting.get_mut(self.name) {
                *n_waiting -= 1;
                if *n_waiting == 0 {
                    state.waiting.remove(self.name);
                }
            }
        });
    }
}
