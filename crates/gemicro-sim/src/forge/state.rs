//! The state of a simulated forge.

use super::script::{CallPurpose, ForgeFault, ForgeFaultKind, ForgeScript, ScriptedRequest};

/// A merge request at the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRequest {
    /// Its number, counted from 1.
    pub number: u64,
    /// The branch with the work.
    pub head: String,
    /// The target branch.
    pub base: String,
    /// Title shown to users.
    pub title: String,
    /// The description, in Markdown.
    pub body: String,
    /// Whether it comes from a fork.
    pub fork: bool,
    /// Whether it is open, merged or closed.
    pub state: HeldState,
}

/// The state of a merge request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldState {
    /// Neither merged nor closed.
    Open,
    /// Its commits are on the target branch.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// The merge requests and the remaining faults.
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

    /// Returns the open merge request between two branches of this repository.
    pub(super) fn open_between(&self, head: &str, base: &str) -> Option<&HeldRequest> {
        self.requests.iter().find(|request| {
            let is_open = request.state == HeldState::Open && !request.fork;
            is_open && request.head == head && request.base == base
        })
    }

    pub(super) fn by_number(&mut self, number: u64) -> Option<&mut HeldRequest> {
        self.requests.iter_mut().find(|request| request.number == number)
    }

    /// Returns the next fault for a call with this purpose.
    pub(super) fn next_fault(&mut self, purpose: CallPurpose) -> Option<ForgeFaultKind> {
        let fault = self
            .faults
            .iter_mut()
            .find(|fault| fault.on == purpose && fault.times > 0)?;
        fault.times -= 1;
        Some(fault.what.clone())
    }
}
