//! A keeper that waits, so that the start of an agent need not wait for our own program to start.

use std::sync::{Mutex, PoisonError};

use gemicro_guard::sandbox::{LaunchPlan, Launcher};

use super::spawn::{Spawned, spawn_spare};

/// At most one keeper that waits. It ends when this is dropped.
#[derive(Debug, Default)]
pub struct Spares(Mutex<Option<Spawned>>);

impl Spares {
    /// Starts one where none waits. Where none can be had, agents start as usual.
    pub fn fill(&self, launcher: &Launcher) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_none() {
            *waiting = spawn_spare(launcher).ok();
        }
    }

    /// Gives a plan to the one that waits.
    pub(super) fn take(&self, plan: &LaunchPlan) -> Option<Spawned> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        plan.give_to(&spare.control).then_some(spare)
    }
}
