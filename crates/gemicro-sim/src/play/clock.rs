//! Precise delays, so that measurements of a client do not include the simulator's own inaccuracy.
//!
//! The runtime's timers have a resolution of a millisecond and are up to two late. A separate thread waits for all
//! delays.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

pub(super) async fn pause(duration: Duration) {
    static CLOCK: LazyLock<&'static VirtualClock> = LazyLock::new(VirtualClock::start);
    if duration.is_zero() {
        return;
    }
    let (ring, rings) = oneshot::channel();
    CLOCK.set(Instant::now() + duration, ring);
    // If the clock is gone, there is nothing to wait for.
    let _ = rings.await;
}

#[derive(Default)]
struct VirtualClock {
    alarms: Mutex<Alarms>,
    changed: Condvar,
}

#[derive(Default)]
struct Alarms {
    due: BinaryHeap<Reverse<(Instant, u64)>>,
    bells: HashMap<u64, oneshot::Sender<()>>,
    next: u64,
}

impl VirtualClock {
    fn start() -> &'static Self {
        let clock: &'static Self = Box::leak(Box::default());
        std::thread::spawn(move || clock.run());
        clock
    }

    fn set(&self, at: Instant, bell: oneshot::Sender<()>) {
        let mut alarms = self.alarms.lock().unwrap_or_else(PoisonError::into_inner);
        let id = alarms.next;
        alarms.next += 1;
        alarms.due.push(Reverse((at, id)));
        alarms.bells.insert(id, bell);
        drop(alarms);
        self.changed.notify_one();
    }

    fn run(&self) {
        let mut alarms = self.alarms.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            while alarms.due.peek().is_some_and(|Reverse((at, _))| *at <= now) {
                let Some(Reverse((_, id))) = alarms.due.pop() else {
                    break;
                };
                if let Some(bell) = alarms.bells.remove(&id) {
                    // The waiting task may be gone.
                    let _ = bell.send(());
                }
            }
            let next = alarms.due.peek().map(|Reverse((at, _))| *at);
            alarms = match next {
                Some(at) => {
                    let wait = at.saturating_duration_since(Instant::now());
                    let waited = self.changed.wait_timeout(alarms, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(alarms).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn delays_end_in_their_order_and_not_before_their_time() {
        let began = Instant::now();
        let after = |ms: u64| async move {
            pause(Duration::from_millis(ms)).await;
            (ms, began.elapsed())
        };
        let (long, short, none) = tokio::join!(after(40), after(10), after(0));
        for (ms, elapsed) in [long, short, none] {
            assert!(elapsed >= Duration::from_millis(ms), "{ms} ms took {elapsed:?}");
        }
        assert!(short.1 < long.1 && none.1 < short.1);
    }
}
