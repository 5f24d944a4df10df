//! What a simulated forge holds.

use super::script::{CallPurpose, ForgeFault, ForgeFaultKind, ForgeScript, ScriptedRequest};

/// A request to merge that the forge holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRequest {
    /// Its number, from 1.
    pub number: u64,
    /// The branch with the work.
    pub head: String,
    /// The branch it is for.
    pub base: String,
    /// Title, as it is shown to people.
    pub title: String,
    /// The description, in Markdown.
    pub body: String,
    /// It comes from a fork.
    pub fork: bool,
    /// Whether it is open, merged or closed.
    pub state: HeldState,
}

/// How a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldState {
    /// Neither merged nor closed.
    Open,
    /// Its commits are on the target branch.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// The requests, and the faults that are left.
#[derive(Debug)]
pub(super) struct ForgeState {
    pub(super) requests: Vec<HeldRequest>,
    faults: Vec<ForgeFault>,
}

impl ForgeState {
    pub(super) fn new(script: &ForgeScript) -> Self {
        let mut state = Self {
            requests: Vec::new(),
            faults: script.faults.clone(),
        };
        for request in &script.requests {
            state.add(request.clone());
        }
        state
    }

    /// Adds an open request.
    pub(super) fn add(&mut self, request: ScriptedRequest) -> &HeldRequest {
        let number = self.requests.len() as u64 + 1;
        self.requests.push(HeldRequest {
            number,
            head: request.head,
            base: request.base,
            title: request.title,
            body: request.body,
            fork: request.fork,
            state: HeldState::Open,
        });
        &self.requests[self.requests.len() - 1]
    }

    /// The open request between two branches of this repository.
    pub(super) fn open_between(&self, head: &str, base: &str) -> Option<&HeldRequest> {
        self.requests.iter().find(|request| {
            let is_open = request.state == HeldState::Open && !request.fork;
            is_open && request.head == head && request.base == base
        })
    }

    pub(super) fn by_number(&mut self, number: u64) -> Option<&mut HeldRequest> {
        self.requests.iter_mut().find(|request| request.number == number)
    }

    /// The next fault for a call of this purpose.
    pub(super) fn next_fault(&mut self, purpose: CallPurpose) -> Option<ForgeFaultKind> {
        let fault = self
            .faults
            .iter_mut()
            .find(|fault| fault.on == purpose && fault.times > 0)?;
        fault.times -= 1;
        Some(fault.what.clone())
    }
}
