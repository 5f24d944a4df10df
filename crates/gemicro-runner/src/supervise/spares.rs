//! A keeper that waits, so that the start of an agent need not wait for our own program to start.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gemicro_guard::sandbox::{LaunchPlan, Launcher};
use tokio::sync::Notify;

use super::spawn::{SpawnedProcess, spawn_spare};

/// What is put off until nobody waits is put off no longer than this.
const LONGEST: Duration = Duration::from_millis(200);

/// At most one keeper that waits. It ends when this is dropped.
#[derive(Debug, Default)]
pub struct Spares {
    waiting: Mutex<Option<SpawnedProcess>>,
    answered: Notify,
}

impl Spares {
    /// Starts one where none waits. Where none can be had, agents start as usual.
    pub fn fill(&self, launcher: &Launcher) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_none() {
            *waiting = spawn_spare(launcher).ok();
        }
    }

    /// Says that somebody has his answer: what was put off for his sake can be done.
    pub fn note_answer(&self) {
        self.answered.notify_waiters();
    }

    /// Waits until somebody has his answer, or is not to be waited for: who waits for an answer should have the machine
    /// for himself.
    pub async fn lull(&self) {
        let _ = tokio::time::timeout(LONGEST, self.answered.notified()).await;
    }

    /// Gives a plan to the one that waits.
    pub(super) fn take(&self, plan: &LaunchPlan) -> Option<SpawnedProcess> {
        let spare = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        plan.give_to(&spare.control).then_some(spare)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::poll;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_can_wait_waits_for_an_answer_and_not_for_ever() {
        let spares = Spares::default();
        let mut waiting = pin!(spares.lull());
        assert!(poll!(waiting.as_mut()).is_pending());
        spares.note_answer();
        assert!(poll!(waiting).is_ready());

        let began = Instant::now();
        spares.lull().await;
        assert_eq!(began.elapsed(), LONGEST);
    }
}
