//! Starts a keeper (sandbox parent process) ahead of time, so that agents start faster.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gemicro_guard::sandbox::{LaunchPlan, Launcher};
use tokio::sync::Notify;

use super::spawn::{SpawnedProcess, spawn_spare};

/// Maximum delay of postponed work.
const LONGEST: Duration = Duration::from_millis(200);

/// At most one waiting keeper. Dropping this ends it.
#[derive(Debug, Default)]
pub struct Spares {
    waiting: Mutex<Option<SpawnedProcess>>,
    answered: Notify,
}

impl Spares {
    /// Starts a keeper unless one waits. If that fails, agents start as usual.
    pub fn fill(&self, launcher: &Launcher) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_none() {
            *waiting = spawn_spare(launcher).ok();
        }
    }

    /// Signals that a caller got its answer, so that postponed work can run.
    pub fn note_answer(&self) {
        self.answered.notify_waiters();
    }

    /// Waits until a caller got its answer, or for the maximum delay: a waiting caller should have the machine to
    /// itself.
    pub async fn lull(&self) {
        let _ = tokio::time::timeout(LONGEST, self.answered.notified()).await;
    }

    /// Sends a plan to the waiting keeper, if any.
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
