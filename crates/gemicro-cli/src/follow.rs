//! Watching a run from its first event to its end, whoever carries it out.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use gemicro_core::command::AgentCommand;
use gemicro_core::drive::StopSignals;
use gemicro_core::research::PLAN_QUESTION;
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::{Desk, Engine, Watched, Watching};
use gemicro_event::{ErrorKind, Event, Failure, StreamId};

use crate::approval::{self, Approval};
use crate::output;
use crate::session::run_trouble;
use crate::signals::STOPPING;
use crate::trouble::Stopped;
use crate::view::{RunEnd, View};

/// Who watches, and what may stop it.
pub(crate) struct Watch<'a> {
    /// Who carries the run out.
    pub(crate) desk: &'a dyn Desk,
    /// All get every event.
    pub(crate) views: Vec<Box<dyn View>>,
    /// The first Ctrl-C.
    pub(crate) stop: &'a StopSignals,
    /// Who approves a plan.
    pub(crate) approval: Approval,
}

/// What the events said so far.
#[derive(Default)]
struct Seen {
    seq: u64,
    end: Option<RunEnd>,
    sub_queries: Vec<String>,
    /// The run waits for its plan to be approved.
    asks: bool,
    /// How many events there were when it first seemed to.
    n_events: Option<u64>,
}

/// Shows the run until it ends or is suspended.
///
/// # Errors
/// When the store or a view fails. The run is then suspended and can be resumed.
pub(crate) async fn follow(mut watch: Watch<'_>, mut watching: Watching) -> Result<RunEnd, Stopped> {
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
    mut views: Vec<Box<dyn View>>,
) -> Result<RunEnd, Stopped> {
    let mut events = engine.store().subscribe(id, 0);
    let mut seen = Seen::default();
    while let Some(event) = events.next().await {
        let event = event?;
        seen.fold(&event);
        for view in &mut views {
            view.event(&event)?;
        }
    }
    let end = seen.end.ok_or_else(|| {
        let message = format!("run {id} has no end");
        Stopped::from(Failure::new(ErrorKind::Internal, message)).about(id)
    })?;
    for view in &mut views {
        view.end(&end)?;
    }
    Ok(end)
}

impl<'a> Watch<'a> {
    async fn show(&mut self, watching: &mut Watching) -> Result<RunEnd, Stopped> {
        let (desk, id) = (self.desk, watching.run.clone());
        let mut seen = Seen::default();
        let mut stopping: Option<BoxFuture<'a, Result<(), Failure>>> = None;
        let mut is_stopping = false;
        loop {
            let stopped = async {
                match &mut stopping {
                    Some(stopping) => stopping.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                item = watching.items.next() => match item {
                    None => break,
                    Some(Ok(Watched::Event(event))) => {
                        seen.fold(&event);
                        for view in &mut self.views {
                            view.event(&event)?;
                        }
                        if seen.asks && !is_stopping && self.is_asked_now(&mut seen, &event).await? {
                            seen.asks = false;
                            self.approve(&id, &seen.sub_queries).await?;
                        }
                    }
                    Some(Ok(Watched::Live(item))) => {
                        for view in &mut self.views {
                            view.live(&item)?;
                        }
                    }
                    Some(Err(failure)) => return Err(run_trouble(failure, &id)),
                },
                told = stopped => {
                    stopping = None;
                    told?;
                }
                () = self.stop.suspend.cancelled(), if !is_stopping => {
                    is_stopping = true;
                    for view in &mut self.views {
                        view.notice(STOPPING);
                    }
                    stopping = Some(desk.suspend(&id));
                }
            }
        }
        seen.end.ok_or_else(|| {
            let message = format!("run {id} stopped without an end");
            Stopped::from(Failure::new(ErrorKind::Internal, message)).about(&id)
        })
    }

    /// Whether the question is still open, not one that was answered before this was watched.
    async fn is_asked_now(&self, seen: &mut Seen, event: &Event) -> Result<bool, Stopped> {
        let n_events = match seen.n_events {
            Some(n_events) => n_events,
            None => self.desk.find(event.stream.as_str()).await?.n_events,
        };
        seen.n_events = Some(n_events);
        Ok(event.seq >= n_events)
    }

    /// Asks whoever approves plans and hands the answer to the run, unless it is stopped before that.
    async fn approve(&self, run: &StreamId, sub_queries: &[String]) -> Result<(), Stopped> {
        let asked = approval::ask(self.approval, sub_queries);
        let answer = tokio::select! {
            answer = asked => answer?,
            () = self.stop.suspend.cancelled() => {
                // The question that was asked has no line end yet.
                output::say("");
                return Ok(());
            }
            () = self.ended(run) => {
                output::say("");
                return Ok(());
            }
        };
        let Some(answer) = answer else {
            // Nobody is there to answer: that refuses nothing.
            self.stop.suspend.cancel();
            return Ok(());
        };
        let command = AgentCommand::answer(PLAN_QUESTION, &answer);
        self.desk.send(run, command).await?;
        Ok(())
    }

    /// Waits until the run has ended, or cannot be watched any more.
    async fn ended(&self, run: &StreamId) {
        if let Ok(watching) = self.desk.watch(run).await {
            let _ = watching.into_events().await;
        }
    }
}

impl Seen {
    fn fold(&mut self, event: &Event) {
        self.seq = event.seq;
        let update = &event.update;
        match update.event_type.as_str() {
            "run_resumed" => self.end = None,
            "decomposition_complete" => {
                self.sub_queries = update
                    .as_decomposition_complete()
                    .map(|it| it.sub_queries)
                    .unwrap_or_default();
            }
            "answer_requested" => {
                self.asks = update
                    .as_answer_requested()
                    .is_some_and(|asked| asked.key == PLAN_QUESTION);
            }
            "answer_given" => self.asks = false,
            _ => {}
        }
        if let Some(end) = RunEnd::of(event) {
            self.end = Some(end);
        }
    }
}
