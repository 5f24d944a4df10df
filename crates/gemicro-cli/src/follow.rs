//! Watching a run that this process drives, from its first event to its end.

use std::pin::Pin;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gemicro_core::command::AgentCommand;
use gemicro_core::drive::{Ended, StopSignals};
use gemicro_core::live::LiveItem;
use gemicro_core::research::PLAN_QUESTION;
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::{Engine, Run};
use gemicro_event::{ErrorKind, Event, Failure, StreamId};

use crate::approval::{self, Approval};
use crate::output;
use crate::session::run_trouble;
use crate::signals::STOPPING;
use crate::trouble::Stopped;
use crate::view::{RunEnd, View};

/// Who watches, and what may stop it.
pub(crate) struct Watch<'a> {
    /// Store and runs.
    pub(crate) engine: &'a Engine,
    /// All get every event.
    pub(crate) views: Vec<Box<dyn View>>,
    /// The first Ctrl-C.
    pub(crate) stop: &'a StopSignals,
    /// Who approves a plan.
    pub(crate) approval: Approval,
}

/// A run on its way.
struct Driven {
    id: StreamId,
    live: BoxStream<'static, LiveItem>,
    driving: Pin<Box<dyn Future<Output = Result<Ended, Failure>> + Send>>,
    /// The last event there is, once driving has ended.
    last_seq: Option<u64>,
}

/// What the events said so far.
#[derive(Default)]
struct Seen {
    seq: u64,
    end: Option<RunEnd>,
    sub_queries: Vec<String>,
    /// The run waits for its plan to be approved.
    asks: bool,
}

/// Shows the run until it ends or is suspended.
///
/// # Errors
/// When the store or a view fails. The run is then suspended and can be resumed.
pub(crate) async fn follow(mut watch: Watch<'_>, run: Run) -> Result<RunEnd, Stopped> {
    let id = run.id.clone();
    let mut driven = Driven {
        id: id.clone(),
        live: run.live.subscribe(),
        driving: Box::pin(run.wait()),
        last_seq: None,
    };
    match watch.show(&mut driven).await {
        Ok(end) => {
            for view in &mut watch.views {
                view.end(&end)?;
            }
            Ok(end)
        }
        Err(stopped) => {
            // Nobody watches any more: leave the run where it can be continued.
            watch.stop.suspend.cancel();
            if driven.last_seq.is_none() {
                let _ = driven.driving.await;
            }
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

impl Watch<'_> {
    async fn show(&mut self, driven: &mut Driven) -> Result<RunEnd, Stopped> {
        let store = self.engine.store().clone();
        let n_events_at_start = store.run(&driven.id).await?.n_events;
        let mut events = store.subscribe(&driven.id, 0);
        let mut seen = Seen::default();
        let mut is_noticed = false;
        while driven.last_seq.is_none_or(|last_seq| seen.seq < last_seq) {
            tokio::select! {
                event = events.next() => match event {
                    None => break,
                    Some(event) => {
                        let event = event?;
                        seen.fold(&event);
                        for view in &mut self.views {
                            view.event(&event)?;
                        }
                        if seen.asks && event.seq >= n_events_at_start && !self.stop.suspend.is_cancelled() {
                            seen.asks = false;
                            self.approve(driven, &seen.sub_queries).await?;
                        }
                    }
                },
                Some(item) = driven.live.next() => {
                    for view in &mut self.views {
                        view.live(&item)?;
                    }
                }
                ended = &mut driven.driving, if driven.last_seq.is_none() => {
                    self.note_end(driven, ended).await?;
                }
                () = self.stop.suspend.cancelled(), if !is_noticed => {
                    is_noticed = true;
                    for view in &mut self.views {
                        view.notice(STOPPING);
                    }
                }
            }
        }
        seen.end.ok_or_else(|| {
            let message = format!("run {} stopped without an end", driven.id);
            Stopped::from(Failure::new(ErrorKind::Internal, message)).about(&driven.id)
        })
    }

    /// Asks whoever approves plans and hands the answer to the run, unless it ends before that.
    async fn approve(&self, driven: &mut Driven, sub_queries: &[String]) -> Result<(), Stopped> {
        let asked = approval::ask(self.approval, sub_queries);
        let answer = tokio::select! {
            answer = asked => answer?,
            () = self.stop.suspend.cancelled() => {
                // The question that was asked has no line end yet.
                output::say("");
                return Ok(());
            }
            ended = &mut driven.driving, if driven.last_seq.is_none() => {
                output::say("");
                return self.note_end(driven, ended).await;
            }
        };
        let Some(answer) = answer else {
            // Nobody is there to answer: that refuses nothing.
            self.stop.suspend.cancel();
            return Ok(());
        };
        let command = AgentCommand::answer(PLAN_QUESTION, &answer);
        self.engine.send(&driven.id, command).await?;
        Ok(())
    }

    /// Driving has ended: finds out which event is the last.
    async fn note_end(&self, driven: &mut Driven, ended: Result<Ended, Failure>) -> Result<(), Stopped> {
        driven.last_seq = Some(0);
        ended.map_err(|failure| run_trouble(failure, &driven.id))?;
        driven.last_seq = Some(self.engine.store().run(&driven.id).await?.n_events);
        Ok(())
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
