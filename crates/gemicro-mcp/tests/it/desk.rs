//! A desk whose runs follow a script.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream;
use gemicro_core::command::{AckStatus, AgentAck, AgentCommand};
use gemicro_core::live::LiveItem;
use gemicro_core::llm::LlmConfig;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::{RunCancelled, RunStarted};
use gemicro_engine::{
    BatchRequest, BatchSettings, BoardPage, CancelOutcome, Plan, RunService, RunSighting, RunSightings,
    RunSnapshot, StartResearchParameters, StoreReads, StoredBoard, asked_in,
};
use gemicro_event::{
    AgentUpdate, Charge, CommandId, ErrorKind, Event, Failure, Json, SCHEMA_VERSION, StepKey, StreamId,
    Timestamp, is_terminal,
};
use gemicro_mcp::McpSetup;
use tokio::sync::watch;

use crate::script::{Happens, Script};

/// Runs that follow a script.
#[derive(Clone)]
pub(crate) struct FakeDesk {
    state: Arc<Mutex<State>>,
    changes: watch::Sender<u64>,
    script: Script,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<StreamId, Vec<RunSighting>>,
    plans: Vec<Plan>,
    cancelled: Vec<(StreamId, String)>,
    logged: Vec<String>,
    researched: Vec<StartResearchParameters>,
}

impl FakeDesk {
    pub(crate) fn new(script: Script) -> Self {
        Self {
            state: Arc::default(),
            changes: watch::channel(0).0,
            script,
        }
    }

    /// A server over this desk that answers within some seconds.
    pub(crate) fn setup(&self, answer_within: Duration) -> McpSetup {
        let (logging, researching) = (self.clone(), self.clone());
        McpSetup {
            desk: Arc::new(self.clone()),
            research: Arc::new(move |parameters| {
                researching.state().researched.push(parameters);
                Err(Failure::new(ErrorKind::AuthFailed, "no key is set"))
            }),
            pipeline: Arc::new(|_| Err(Failure::new(ErrorKind::AuthFailed, "no key is set"))),
            batch: Arc::new(|parameters| {
                let settings = BatchSettings {
                    llm: LlmConfig::default(),
                    directory: parameters.directory.display().to_string(),
                    agent_idle_ms: 1_000,
                    agent_total_ms: 1_000,
                    coverage_reports: Vec::new(),
                };
                let limits = gemicro_core::budget::Limits::default();
                Ok(BatchRequest {
                    batch: parameters.batch,
                    settings,
                    limits,
                })
            }),
            answer_within,
            fallback: None,
            log: Arc::new(move |line| logging.state().logged.push(line.to_owned())),
        }
    }

    pub(crate) fn plans(&self) -> Vec<Plan> {
        self.state().plans.clone()
    }

    pub(crate) fn cancelled(&self) -> Vec<(StreamId, String)> {
        self.state().cancelled.clone()
    }

    pub(crate) fn logged(&self) -> Vec<String> {
        self.state().logged.clone()
    }

    pub(crate) fn researched(&self) -> Vec<StartResearchParameters> {
        self.state().researched.clone()
    }

    pub(crate) fn run(&self) -> StreamId {
        self.state().runs.keys().next().unwrap().clone()
    }

    /// A run that is there already.
    pub(crate) fn add(&self, flow: &str, plan: Json, script: Script) -> StreamId {
        let run = StreamId::random();
        self.begin(&run, flow, plan);
        for (_, happens) in script {
            self.tell(&run, happens);
        }
        run
    }

    fn begin(&self, run: &StreamId, flow: &str, plan: Json) {
        let started = RunStarted {
            flow: flow.to_owned(),
            flow_version: 1,
            program: "test".to_owned(),
            title: "Do it".to_owned(),
            plan,
            limits: gemicro_core::budget::Limits::default(),
            held_back: Charge::ZERO,
            held_back_ms: 0,
            resident: false,
            credential_fingerprint: None,
            resubmits: false,
            part_of_parent: false,
            day: None,
        };
        let started = AgentUpdate::new(&started, Timestamp::now());
        self.tell(run, Happens::Event(started));
    }

    pub(crate) fn tell(&self, run: &StreamId, happens: Happens) {
        let mut state = self.state();
        let items = state.runs.entry(run.clone()).or_default();
        let n_events = events(items).len() as u64;
        items.push(match happens {
            Happens::Event(update) => RunSighting::Event(Event {
                stream: run.clone(),
                seq: n_events + 1,
                schema_version: SCHEMA_VERSION,
                update,
                step: None,
                parent_run: None,
                trace: None,
                extra: Vec::new(),
            }),
            Happens::Text(text) => RunSighting::Live(LiveItem {
                step: StepKey::new("agent"),
                attempt: 1,
                offset: 0,
                text: text.to_owned(),
            }),
        });
        drop(state);
        self.changes.send_modify(|n| *n += 1);
    }

    fn has_ended(&self, run: &StreamId) -> bool {
        self.state().runs.get(run).is_some_and(|items| ended(items))
    }

    fn watching(&self, run: &StreamId) -> RunSightings {
        let begin = (self.clone(), run.clone(), 0, self.changes.subscribe());
        let items = stream::unfold(begin, |(desk, run, idx, mut changes)| async move {
            loop {
                let (item, over) = {
                    let state = desk.state();
                    let items = &state.runs[&run];
                    (items.get(idx).cloned(), ended(items))
                };
                match item {
                    Some(item) => return Some((Ok(item), (desk, run, idx + 1, changes))),
                    None if over => return None,
                    None => changes.changed().await.ok()?,
                }
            }
        });
        RunSightings {
            run: run.clone(),
            items: Box::pin(items),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn events(items: &[RunSighting]) -> Vec<Event> {
    items
        .iter()
        .filter_map(|item| match item {
            RunSighting::Event(event) => Some(event.clone()),
            RunSighting::Live(_) => None,
        })
        .collect()
}

fn completed(command: &CommandId) -> AgentAck {
    AgentAck {
        command_id: command.clone(),
        status: AckStatus::Completed,
        data: Json::empty(),
    }
}

fn ended(items: &[RunSighting]) -> bool {
    events(items)
        .last()
        .is_some_and(|last| is_terminal(&last.update.event_type) || last.update.event_type == "run_suspended")
}

impl RunService for FakeDesk {
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        Box::pin(async move {
            self.begin(&run, &plan.flow, plan.plan.clone());
            self.state().plans.push(plan);
            let (desk, script, driven) = (self.clone(), self.script.clone(), run.clone());
            tokio::spawn(async move {
                for (after, happens) in script {
                    tokio::time::sleep(after).await;
                    if desk.has_ended(&driven) {
                        return;
                    }
                    desk.tell(&driven, happens);
                }
            });
            Ok(self.watching(&run))
        })
    }

    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        let run = run.clone();
        Box::pin(async move { Ok(self.watching(&run)) })
    }

    fn find<'d>(&'d self, named: &'d str) -> BoxFuture<'d, Result<RunRow, Failure>> {
        let named = named.to_owned();
        Box::pin(async move {
            let state = self.state();
            let found = state
                .runs
                .iter()
                .find(|(run, _)| run.as_str().starts_with(&named));
            let (run, items) =
                found.ok_or_else(|| Failure::new(ErrorKind::NotFound, format!("there is no run {named}")))?;
            let mut row = RunRow::new(run.clone(), None);
            events(items).iter().for_each(|event| row.fold(event));
            Ok(row)
        })
    }

    fn events<'d>(&'d self, run: &'d StreamId) -> BoxFuture<'d, Result<Vec<Event>, Failure>> {
        let all = events(&self.state().runs[run]);
        Box::pin(async move { Ok(all) })
    }

    fn state<'d>(&'d self, named: &'d str) -> BoxFuture<'d, Result<RunSnapshot, Failure>> {
        Box::pin(async move {
            let row = self.find(named).await?;
            let question = asked_in(&row.run, &RunService::events(self, &row.run).await?);
            let state = row.status.as_str();
            Ok(RunSnapshot {
                row,
                state,
                question,
                counts: None,
            })
        })
    }

    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>> {
        assert_eq!(command.command_type, "pause", "nobody sends other commands here");
        self.tell(run, crate::script::suspended());
        let ack = completed(&command.command_id);
        Box::pin(async move { Ok(ack) })
    }

    fn acknowledgement<'d>(
        &'d self,
        _run: &'d StreamId,
        command: &'d CommandId,
    ) -> BoxFuture<'d, Result<Option<AgentAck>, Failure>> {
        let ack = completed(command);
        Box::pin(async move { Ok(Some(ack)) })
    }

    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>> {
        Box::pin(async { Err(Failure::new(ErrorKind::NotFound, "there is no store")) })
    }

    fn board<'d>(
        &'d self,
        _run: &'d StreamId,
        _page: BoardPage,
    ) -> BoxFuture<'d, Result<StoredBoard, Failure>> {
        Box::pin(async { Ok(StoredBoard::default()) })
    }

    fn trouble(&self, _run: &StreamId) -> BoxFuture<'_, Option<Failure>> {
        Box::pin(async { None })
    }

    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>> {
        let (run, reason) = (run.clone(), reason.to_owned());
        Box::pin(async move {
            if self.has_ended(&run) {
                return Ok(CancelOutcome::AlreadyEnded);
            }
            let cancelled = RunCancelled {
                reason: reason.clone(),
                spent: Charge::ZERO,
            };
            self.state().cancelled.push((run.clone(), reason));
            self.tell(&run, crate::script::event(&cancelled));
            Ok(CancelOutcome::Cancelled)
        })
    }

    fn resume(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        self.tell(run, crate::script::raw("run_resumed", serde_json::json!({})));
        Box::pin(async { Ok(()) })
    }

    fn suspend(&self, _run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}
