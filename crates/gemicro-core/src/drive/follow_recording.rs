//! Driving a run again as its recording says: what arrives, when, and in which order.

use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, StepKey, Timestamp};

use super::attempt::{AttemptReport, ReportContents};
use super::driver::Driver;
use super::recorded_run::{RecordedRun, ReplayDifference, ended_attempt};
use super::{DriveEnd, DriveError};
use crate::flow::{Decision, Outcome, Step};
use crate::run::events::RunReaders;
use crate::store::{NewEvent, StepMark};

impl Driver<'_> {
    /// Sets the clock to the recorded time, and ends a replay that is done or differs.
    pub(super) async fn check_recording(&mut self) -> Result<Option<DriveEnd>, DriveError> {
        let Some(recorded) = self.ctx.options.recorded.clone() else {
            return Ok(None);
        };
        if recorded.difference().is_some() {
            self.flush().await?;
            let run = self.run_id().to_string();
            return Err(differs(&run, &recorded));
        }
        let is_done = recorded.is_done_at(self.run.last_seq) || self.ctx.stop.suspend.is_cancelled();
        if is_done && !self.run.ended {
            self.flush().await?;
            return Ok(Some(DriveEnd::Suspended));
        }
        // What the driver itself made next, it made at the time of that event. Nothing was due before what arrived.
        let next = recorded.event(self.run.last_seq + 1);
        let next = next.filter(|next| !self.arrives(next));
        let at = next.map_or(self.last.update.timestamp, |next| next.update.timestamp);
        self.move_clock(&recorded, at).await?;
        Ok(None)
    }

    /// Sets the clock to a recorded moment, after the time that passed until then where that is wanted.
    async fn move_clock(&mut self, recorded: &RecordedRun, at: Timestamp) -> Result<(), DriveError> {
        if recorded.is_real_time() {
            self.flush().await?;
            tokio::select! {
                () = tokio::time::sleep(at.since(self.last.update.timestamp)) => {}
                () = self.ctx.stop.suspend.cancelled() => {}
            }
        }
        self.clock.set(at);
        Ok(())
    }

    /// The decision at this place. A run decides after every event, but its journal does not show where it decided to
    /// end while steps still ran. So the first decision that ends it as recorded counts, and their ends come after it.
    pub(super) fn decide_as_recorded(&mut self, recorded: &RecordedRun) -> Decision {
        if let Some(last) = &self.last_decision {
            return last.clone();
        }
        let decision = self.decide();
        if decision.finish.is_none() {
            return decision;
        }
        let later = recorded
            .events()
            .iter()
            .skip_while(|event| event.seq <= self.run.last_seq);
        let starts_more = later
            .clone()
            .any(|event| event.update.event_type == "step_started");
        let recorded_end = later.last().map(|last| &last.update).filter(|_| !starts_more);
        let ends_so = |end: &AgentUpdate| match &decision.finish {
            Some(Outcome::Completed { data, .. }) => end.event_type == "final_result" && end.data == *data,
            Some(Outcome::Failed(error)) => end
                .as_run_failed()
                .is_some_and(|failed| failed.error == self.with_day(error)),
            None => false,
        };
        if recorded_end.is_some_and(ends_so) {
            self.last_decision = Some(decision.clone());
        }
        decision
    }

    /// Takes the next recorded event if it came from outside.
    pub(super) async fn take_recorded(&mut self, recorded: &RecordedRun) -> Result<bool, DriveError> {
        let Some(next) = self.next_arrival(recorded) else {
            return Ok(false);
        };
        self.move_clock(recorded, next.update.timestamp).await?;
        if !self.ctx.stop.suspend.is_cancelled() {
            self.take_arrival(next).await;
            self.note_board();
        }
        Ok(true)
    }

    /// Takes the recorded ends of steps that the end of their run stopped.
    pub(super) async fn take_recorded_ends(&mut self) {
        let Some(recorded) = self.ctx.options.recorded.clone() else {
            return;
        };
        while let Some(next) = self.next_arrival(&recorded) {
            self.clock.set(next.update.timestamp);
            self.take_arrival(next).await;
        }
    }

    fn next_arrival<'r>(&self, recorded: &'r RecordedRun) -> Option<&'r Event> {
        let next = recorded.event(self.run.last_seq + 1);
        next.filter(|next| recorded.difference().is_none() && self.arrives(next))
    }

    /// Whether a recorded event came from outside: from a running attempt, a command, or a process that stopped.
    fn arrives(&self, event: &Event) -> bool {
        let is_running = |step: &StepKey, attempt: u32| {
            self.running
                .get(step)
                .is_some_and(|running| running.attempt == attempt)
        };
        if let Some((step, attempt)) = ended_attempt(event) {
            return is_running(&step, attempt);
        }
        match event.update.event_type.as_str() {
            "run_started" | "step_started" | "budget_warning" | "deadline_passed" | "run_woken"
            | "timer_fired" | "final_result" | "run_failed" | "run_cancelled" => false,
            // Noted again by a process that resumed the run; else made of the report before it.
            "run_parked" => {
                let recorded = self.ctx.options.recorded.as_ref();
                let before = recorded.and_then(|recorded| recorded.event(event.seq - 1));
                before.is_some_and(|before| before.update.event_type == "run_resumed")
            }
            // Its attempt is over in the journal before its process knows.
            "step_lost" => true,
            _ => match &event.step {
                Some(step) => self.running.contains_key(step),
                None => event.update.event_type != "answer_requested",
            },
        }
    }

    /// Takes one recorded event: the report of its attempt, or the fact itself.
    async fn take_arrival(&mut self, event: &Event) {
        if let Some((step, _)) = ended_attempt(event) {
            let report = self.report_of(&step).await;
            return self.take_report(report, self.clock.now());
        }
        let lost = event.update.as_step_lost();
        if let Some(lost) = &lost
            && let Some(running) = self.running.remove(&lost.step)
        {
            running.abort.abort();
            self.ctx.live.remove(&lost.step);
        }
        self.fold(vec![NewEvent {
            update: event.update.clone(),
            step: event.step.clone(),
            mark: lost.map(|lost| StepMark::Ended(lost.attempt)),
            trace: event.trace.clone(),
            extra: event.extra.clone(),
        }]);
    }

    /// The end of a running attempt; those of others wait for their place.
    async fn report_of(&mut self, step: &StepKey) -> AttemptReport {
        if let Some(idx) = self.early.iter().position(|report| report.step == *step) {
            return self.early.swap_remove(idx);
        }
        loop {
            let report = self.reports.recv().await;
            let report = report.expect("the driver keeps a sender");
            match report.said {
                // What an attempt said on the way is in the recording.
                ReportContents::Notice(_) => {}
                ReportContents::Ended(_) if report.step == *step => return report,
                ReportContents::Ended(_) => self.early.push(report),
            }
        }
    }

    /// Whether a step may start at this place; always so where no recording is followed. How many steps run at the
    /// same time depends on the machine, so it is the recording that says whether one waits.
    pub(super) fn is_its_turn(&self, step: &Step, n_new: usize, want: &[Step]) -> bool {
        let Some(recorded) = &self.ctx.options.recorded else {
            return true;
        };
        let Some(next) = recorded.event(self.run.last_seq + n_new as u64 + 1) else {
            return true;
        };
        // A step that may not start at all fails at its turn.
        let starts = matches!(next.update.event_type.as_str(), "step_started" | "step_failed");
        match &next.step {
            Some(turn) if starts && !self.running.contains_key(turn) => {
                *turn == step.key || !want.iter().any(|other| other.key == *turn)
            }
            Some(_) | None => false,
        }
    }

    /// Whether a recording that is followed has more than the failure of a flow that is stuck.
    pub(super) fn recording_continues(&self) -> bool {
        let recorded = self.ctx.options.recorded.as_ref();
        let next = recorded.and_then(|recorded| recorded.event(self.run.last_seq + 1));
        next.is_some_and(|next| next.update.event_type != "run_failed")
    }

    /// Notes that this program does nothing where the recording continues, or the other way round.
    pub(super) fn note_nothing_made(&self, recorded: &RecordedRun, decision: &Decision) {
        let is_new = |step: &&Step| !self.run.steps.contains_key(&step.key);
        recorded.note(match recorded.event(self.run.last_seq + 1) {
            Some(next) => ReplayDifference::Missing {
                recorded: Box::new(next.clone()),
                wanted: decision.want.iter().find(is_new).cloned().map(Box::new),
            },
            None => ReplayDifference::Continued {
                last_seq: self.run.last_seq,
            },
        });
    }
}

fn differs(run: &str, recorded: &RecordedRun) -> DriveError {
    let seq = recorded.difference().map_or(0, ReplayDifference::seq);
    let message = format!("the replay of run {run} differs from its recording at event {seq}");
    DriveError::Halted(Failure::new(ErrorKind::ReplayDiffers, message))
}
