//! Watching a run from its first event to its end, whoever carries it out.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use gemicro_core::command::AgentCommand;
use gemicro_core::drive::StopSignals;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::{Engine, RunService, RunSighting, RunSightings};
use gemicro_event::{ErrorKind, Event, Failure, Json, StreamId};

use crate::asker::Asker;
use crate::command_error::CommandError;
use crate::output;
use crate::session::run_error;
use crate::signals::{self, STOPPING};
use crate::view::{RunEnd, RunView};

/// Who watches, and what may stop it.
pub(crate) struct RunWatch<'a> {
    /// Who carries the run out.
    pub(crate) desk: &'a dyn RunService,
    /// All get every event.
    pub(crate) views: Vec<Box<dyn RunView>>,
    pub(crate) stop: &'a StopSignals,
    /// Who answers its questions.
    pub(crate) asker: Box<dyn Asker + Send>,
    /// The command that resumes it, in which `RUN` stands for its id.
    pub(crate) resume: &'a str,
}

/// The usual resume command.
pub(crate) const RESUME: &str = "gemicro resume RUN";

/// What the events said so far.
#[derive(Default)]
struct FollowState {
    end: Option<RunEnd>,
    /// The question that the run waits on.
    question: Option<String>,
    /// The run's event count when a question first appeared; requests with a lower sequence number are history.
    n_events: Option<u64>,
}

/// Shows the run until it ends or is suspended.
///
/// # Errors
/// When the store or a view fails. The run is then suspended and can be resumed.
pub(crate) async fn follow(
    mut watch: RunWatch<'_>,
    mut watching: RunSightings,
) -> Result<RunEnd, CommandError> {
    let (run, resume) = (&watching.run, watch.resume.replace("RUN", watching.run.as_str()));
    let words =
        format!("Stopped: run {run} was interrupted in the middle of a step. Continue with: {resume}");
    let _at_once = signals::at_once(move || output::say(&words));
    match watch.show(&mut watching).await {
        Ok(end) => {
            for view in &mut watch.views {
                view.end(&end)?;
            }
            Ok(end)
        }
        Err(stopped) => {
            // Nobody watches any more: leave the run where it can be continued.
            let _ = watch.desk.suspend(&watching.run).await;
            Err(stopped)
        }
    }
}

/// Shows a run that has ended as it was shown when it happened.
///
/// # Errors
/// When the store or a view fails.
pub(crate) async fn replay(
    engine: &Engine,
    id: &StreamId,
    mut views: Vec<Box<dyn RunView>>,
) -> Result<RunEnd, CommandError> {
    let mut events = engine.store().subscribe(id, 0);
    let mut seen = FollowState::default();
    while let Some(event) = events.next().await {
        let event = event?;
        seen.fold(&event);
        for view in &mut views {
            view.event(&event)?;
        }
    }
    let end = seen.end.ok_or_else(|| {
        let message = format!("run {id} did not record its end");
        CommandError::from(Failure::new(ErrorKind::Internal, message)).about(id)
    })?;
    for view in &mut views {
        view.end(&end)?;
    }
    Ok(end)
}

impl<'a> RunWatch<'a> {
    async fn show(&mut self, watching: &mut RunSightings) -> Result<RunEnd, CommandError> {
        let (desk, id) = (self.desk, watching.run.clone());
        let mut seen = FollowState::default();
        let mut stopping: Option<BoxFuture<'a, Result<(), Failure>>> = None;
        let mut is_stopping = false;
        let mut is_unanswered = false;
        let mut asking: Option<BoxFuture<'static, Result<Option<Json>, CommandError>>> = None;
        loop {
            let answered = async {
                match &mut asking {
                    Some(asking) => asking.await,
                    None => std::future::pending().await,
                }
            };
            let stopped = async {
                match &mut stopping {
                    Some(stopping) => stopping.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                item = watching.items.next() => match item {
                    None => break,
                    Some(Ok(RunSighting::Event(event))) => {
                        seen.fold(&event);
                        self.asker.event(&event);
                        let is_asked = seen.question.as_ref().is_some_and(|key| self.asker.answers(key));
                        if !is_asked && asking.take().is_some() {
                            // It was answered elsewhere, or the run ended. Finish the prompt's line before the views print more.
                            self.asker.withdraw();
                        }
                        for view in &mut self.views {
                            view.event(&event)?;
                        }
                        let is_new = is_asked && asking.is_none() && !is_stopping;
                        if is_new && self.is_asked_now(&mut seen, &event).await? {
                            asking = Some(self.asker.ask());
                        }
                    }
                    Some(Ok(RunSighting::Live(item))) => {
                        for view in &mut self.views {
                            view.live(&item)?;
                        }
                    }
                    Some(Err(failure)) => return Err(run_error(failure, &id)),
                },
                answer = answered => {
                    asking = None;
                    match (answer?, seen.question.take()) {
                        (Some(answer), Some(key)) => {
                            let command = AgentCommand::answer(&key, &answer);
                            let command = match self.asker.by() {
                                Some(who) => command.by(&who),
                                None => command,
                            };
                            self.desk.send(&id, command).await?;
                        }
                        // Nobody is there to answer. That is not a no: suspend the run.
                        (Some(_) | None, _) => {
                            is_stopping = true;
                            is_unanswered = true;
                            stopping = Some(desk.suspend(&id));
                        }
                    }
                }
                outcome = stopped => {
                    stopping = None;
                    outcome?;
                }
                () = self.stop.suspend.cancelled(), if !is_stopping => {
                    is_stopping = true;
                    if asking.take().is_some() {
                        self.asker.withdraw();
                    }
                    for view in &mut self.views {
                        view.notice(STOPPING);
                    }
                    stopping = Some(desk.suspend(&id));
                }
            }
        }
        if is_unanswered && matches!(seen.end, Some(RunEnd::Suspended(_))) {
            seen.end = Some(RunEnd::Suspended(ErrorKind::InputRequired));
        }
        seen.end.ok_or_else(|| {
            let message = format!("run {id} stopped without recording its end");
            CommandError::from(Failure::new(ErrorKind::Internal, message)).about(&id)
        })
    }

    /// Whether the question is still open, and not one from the replayed history that was answered before we began to watch.
    async fn is_asked_now(&self, seen: &mut FollowState, event: &Event) -> Result<bool, CommandError> {
        let n_events = match seen.n_events {
            Some(n_events) => n_events,
            None => self.desk.find(event.stream.as_str()).await?.n_events,
        };
        seen.n_events = Some(n_events);
        Ok(event.seq >= n_events)
    }
}

impl FollowState {
    fn fold(&mut self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "run_resumed" => self.end = None,
            "answer_requested" => {
                self.question = update.as_answer_requested().map(|asked| asked.key);
            }
            "answer_given" => self.question = None,
            _ => {}
        }
        if let Some(end) = RunEnd::of(event) {
            // A question stays open while its run is stopped.
            if !matches!(end, RunEnd::Suspended(_)) {
                self.question = None;
            }
            self.end = Some(end);
        }
    }
}
