//! A run that happened before, which a driver follows instead of the clock: [`RecordedRun`].
//!
//! The driver decides as always. What came from outside then (results, answers, commands, time) comes from the
//! recording at the same place of the journal, and every event that the driver makes is compared with the recorded one.

use std::sync::OnceLock;

use gemicro_event::{Event, StepKey, Timestamp};

use crate::flow::Step;
use crate::run::events::RunReaders;

/// The journal of a run that has ended, to be driven again.
#[derive(Debug)]
pub struct RecordedRun {
    events: Vec<Event>,
    until: Option<u64>,
    is_real_time: bool,
    difference: OnceLock<ReplayDifference>,
}

/// The first place where a replay differs from its recording.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayDifference {
    /// This program makes another event than the recorded one.
    Changed {
        /// The event in the recording.
        recorded: Box<Event>,
        /// The event that this program makes there.
        replayed: Box<Event>,
    },
    /// This program does not make the recorded event.
    Missing {
        /// The event in the recording.
        recorded: Box<Event>,
        /// The step that this program wants in its place.
        wanted: Option<Box<Step>>,
    },
    /// The recording has ended, and this program continues.
    Continued {
        /// The number of the last recorded event.
        last_seq: u64,
    },
}

impl RecordedRun {
    /// A recording of these events, in order and from the first one on; `None` when they are not that.
    #[must_use]
    pub fn new(events: Vec<Event>) -> Option<Self> {
        let is_whole = (1..).zip(&events).all(|(seq, event)| event.seq == seq);
        let starts = events
            .first()
            .is_some_and(|first| first.update.as_run_started().is_some());
        (is_whole && starts).then_some(Self {
            events,
            until: None,
            is_real_time: false,
            difference: OnceLock::new(),
        })
    }

    /// Stops after the event with this number.
    #[must_use]
    pub fn until(mut self, seq: Option<u64>) -> Self {
        self.until = seq;
        self
    }

    /// Waits between events as long as the run did.
    #[must_use]
    pub fn in_real_time(mut self, is_real_time: bool) -> Self {
        self.is_real_time = is_real_time;
        self
    }

    /// All events, in order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether it waits between events as long as the run did.
    #[must_use]
    pub fn is_real_time(&self) -> bool {
        self.is_real_time
    }

    /// The first difference that a driver found.
    #[must_use]
    pub fn difference(&self) -> Option<&ReplayDifference> {
        self.difference.get()
    }

    pub(super) fn event(&self, seq: u64) -> Option<&Event> {
        let idx = usize::try_from(seq.checked_sub(1)?).ok()?;
        self.events.get(idx)
    }

    pub(super) fn started_at(&self) -> Option<Timestamp> {
        self.events.first().map(|first| first.update.timestamp)
    }

    pub(super) fn note(&self, difference: ReplayDifference) {
        // Only the first one counts: what follows from it says nothing.
        let _ = self.difference.set(difference);
    }

    pub(super) fn is_done_at(&self, seq: u64) -> bool {
        self.until.is_some_and(|until| seq >= until)
    }

    /// Compares an event with the recorded one at its place; the time and the text for people may differ.
    pub(super) fn compare(&self, replayed: &Event) {
        let Some(recorded) = self.event(replayed.seq) else {
            return self.note(ReplayDifference::Continued {
                last_seq: self.events.len() as u64,
            });
        };
        let (then, now) = (&recorded.update, &replayed.update);
        let is_same =
            then.event_type == now.event_type && then.data == now.data && recorded.step == replayed.step;
        if !is_same {
            self.note(ReplayDifference::Changed {
                recorded: Box::new(recorded.clone()),
                replayed: Box::new(replayed.clone()),
            });
        }
    }
}

impl ReplayDifference {
    /// The number of the recorded event.
    #[must_use]
    pub fn seq(&self) -> u64 {
        match self {
            Self::Changed { recorded, .. } | Self::Missing { recorded, .. } => recorded.seq,
            Self::Continued { last_seq } => *last_seq,
        }
    }
}

/// The step and the attempt whose report an event is.
pub(super) fn ended_attempt(event: &Event) -> Option<(StepKey, u32)> {
    let update = &event.update;
    match update.event_type.as_str() {
        "step_completed" => update.as_step_completed().map(|it| (it.step, it.attempt)),
        "step_retrying" => update.as_step_retrying().map(|it| (it.step, it.attempt)),
        "step_parked" => update.as_step_parked().map(|it| (it.step, it.attempt)),
        "step_failed" => update.as_step_failed().map(|it| (it.step, it.attempt)),
        _ => None,
    }
}
