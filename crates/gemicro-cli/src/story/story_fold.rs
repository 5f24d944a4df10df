//! The story of a run, folded from its events for people.

use gemicro_core::ask::{AgentStarted, AskReaders, BranchOutcome};
use gemicro_core::budget::{DayGrant, Limits};
use gemicro_core::research::events::{FinalResult, ResearchReaders, SourcesRead};
use gemicro_core::run::events::{RunParked, RunReaders};
use gemicro_core::run::{RunRow, RunState};
use gemicro_engine::BatchAnswer;
use gemicro_event::{Charge, Event, Failure, Json, RunStatus, StepKey, StreamId, Timestamp};
use serde::Serialize;

use super::merge_story::MergeStory;
use super::pipeline::PipelineStory;
use super::steps::{self, StepStory};
use super::sub_query_story::SubQueryStory;
use crate::command_error::CommandError;
use crate::commands::batch::is_in_part;
use crate::screen::branch;
use crate::view::{RunEnd, RunView};

/// The status of a run whose process has died.
pub(crate) const DIED: &str = "died";

/// How the runs of a flow are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoryKind {
    pub(crate) begin: fn(&mut Story, &Event, &Json),
    /// Whether it has many parts, which are on its board.
    pub(crate) has_board: bool,
    /// Whether it writes tests, or reports which are missing.
    pub(crate) is_about_tests: bool,
}

/// A run as a whole.
#[derive(Debug, Serialize)]
pub(crate) struct Story {
    pub(crate) run: StreamId,
    pub(crate) flow: String,
    pub(crate) question: String,
    pub(crate) status: RunStatus,
    /// The program that started it.
    pub(crate) program: String,
    pub(crate) started_at: Timestamp,
    /// Time of its last event.
    pub(crate) updated_at: Timestamp,
    /// Time worked on it, in milliseconds.
    pub(crate) worked_ms: u64,
    pub(crate) n_events: u64,
    /// How often it was suspended and resumed.
    pub(crate) n_resumed: usize,
    /// The conversation that it belongs to.
    pub(crate) conversation: Option<StreamId>,
    /// The model, if one was requested.
    pub(crate) model: Option<String>,
    /// Its result in one sentence.
    pub(crate) outcome: Option<String>,
    /// The agent, if one was requested: its name, folder and write permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The session that the agent can resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// What happened to the branch that the agent worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<BranchOutcome>,
    /// The state of its tasks, if it is a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) batch: Option<BatchAnswer>,
    /// Its phases, if it is a coding pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pipeline: Option<PipelineStory>,
    /// Its branches and checks, if it is a merge queue.
    #[serde(skip)]
    pub(crate) merge: Option<MergeStory>,
    pub(crate) spent: Charge,
    pub(crate) limits: Limits,
    /// Its share of the day budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) day: Option<DayGrant>,
    /// The folders and files that it was given.
    pub(crate) sources: Vec<String>,
    /// What was read from them.
    pub(crate) sources_read: Option<SourcesRead>,
    pub(crate) sub_queries: Vec<SubQueryStory>,
    /// The step that answered each of them.
    #[serde(skip)]
    pub(crate) sub_query_steps: Vec<Option<StepKey>>,
    /// Its steps, in the order in which they began.
    pub(crate) steps: Vec<StepStory>,
    /// Why it was last suspended.
    pub(crate) suspended: Option<String>,
    /// The question that it waits for.
    pub(crate) asks: Option<String>,
    /// If it waits for a provider's limit: until when, and why.
    pub(crate) parked: Option<RunParked>,
    /// Reports of unknown data from outside while a step ran.
    pub(crate) alarms: Vec<String>,
    /// Changes made before it started.
    pub(crate) notices: Vec<String>,
    /// Other notes while it ran.
    pub(crate) notes: Vec<String>,
    /// The run it continues.
    pub(crate) goes_on_from: Option<StreamId>,
    /// Number of pages that were fetched, and of those that failed.
    pub(crate) n_pages: (usize, usize),
    pub(crate) result: Option<FinalResult>,
    /// The result as stored, if it is not a research result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Json>,
    pub(crate) failure: Option<Failure>,
    /// Whether its process has died.
    #[serde(skip)]
    pub(crate) has_died: bool,
    #[serde(skip)]
    state: Option<RunState>,
    #[serde(skip)]
    pub(crate) kind: StoryKind,
}

impl Story {
    /// Whether the run continues only after a person has answered.
    pub(super) fn waits_for_person(&self) -> bool {
        match &self.batch {
            Some(batch) => batch.counts.waits_for_person(),
            None if self.status == RunStatus::Suspended => self.has_open_gate(),
            None => self.parked.is_none() && self.asks.is_some(),
        }
    }

    /// Whether it ended with tasks that did not complete, or branches that were not merged.
    pub(super) fn is_in_part(&self) -> bool {
        let batch = self.batch.as_ref();
        let merge = self.merge.as_ref();
        batch.is_some_and(|it| is_in_part(&it.counts)) || merge.is_some_and(|it| !it.summary().is_complete())
    }

    /// Whether its result is something else than the answer to a question.
    pub(super) fn is_no_answer(&self) -> bool {
        self.kind.is_about_tests || self.pipeline.is_some() || self.merge.is_some()
    }

    /// Its status for what to do next: a run whose process has died is resumed like a suspended one.
    pub(super) fn status_for_next(&self) -> RunStatus {
        match self.has_died {
            true => RunStatus::Suspended,
            false => self.status,
        }
    }

    /// The reservations of its running calls.
    pub(super) fn reserved(&self) -> Charge {
        let state = self.state.as_ref();
        state.map_or(Charge::ZERO, |state| state.ledger.reserved())
    }

    /// Whether a gate has no answer, not even one that is stored until the run resumes.
    pub(super) fn has_open_gate(&self) -> bool {
        let pipeline = self.pipeline.as_ref();
        pipeline.is_some_and(|it| it.question.is_some())
    }

    /// The story of a run before its first event.
    pub(crate) fn new(run: StreamId, kind: StoryKind) -> Self {
        Self {
            kind,
            run,
            flow: String::new(),
            question: String::new(),
            status: RunStatus::Running,
            program: String::new(),
            started_at: Timestamp::default(),
            updated_at: Timestamp::default(),
            worked_ms: 0,
            n_events: 0,
            n_resumed: 0,
            conversation: None,
            model: None,
            outcome: None,
            details: None,
            agent: None,
            session: None,
            branch: None,
            batch: None,
            pipeline: None,
            merge: None,
            spent: Charge::ZERO,
            limits: Limits::NONE,
            day: None,
            sources: Vec::new(),
            sources_read: None,
            sub_queries: Vec::new(),
            sub_query_steps: Vec::new(),
            steps: Vec::new(),
            suspended: None,
            asks: None,
            parked: None,
            alarms: Vec::new(),
            notices: Vec::new(),
            notes: Vec::new(),
            goes_on_from: None,
            n_pages: (0, 0),
            result: None,
            failure: None,
            has_died: false,
            state: None,
        }
    }

    /// Takes the next event into account.
    pub(crate) fn fold(&mut self, event: &Event) {
        let update = &event.update;
        match &mut self.state {
            Some(state) => state.fold(event),
            None => self.state = RunState::start(event),
        }
        if let Some(state) = &self.state {
            self.spent = state.ledger.total_charge();
            self.worked_ms = state.worked_ms_at(state.last_at);
        }
        self.n_events = event.seq;
        self.updated_at = update.timestamp;
        if let Some(status) = RunStatus::after(&update.event_type) {
            self.status = status;
        }
        // Its journal also has the steps of its parts, too many to list here.
        if !self.kind.has_board {
            steps::fold(&mut self.steps, event);
        }
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.fold(event);
        }
        if let Some(merge) = &mut self.merge {
            merge.fold(event);
        }
        match update.event_type.as_str() {
            "run_started" => self.fold_started(event),
            "sources_read" => self.sources_read = update.as_sources_read(),
            "run_suspended" => self.suspended = update.as_run_suspended().map(|it| it.reason),
            "run_resumed" => self.n_resumed += 1,
            "answer_requested" => self.asks = update.as_answer_requested().map(|it| it.key),
            "run_parked" => self.parked = update.as_run_parked(),
            "run_woken" => self.parked = None,
            "step_alarm" => self.alarms.extend(update.as_step_alarm().map(|it| it.message)),
            "agent_noise" | "repository_changed" | "budget_warning" | "deadline_passed" => {
                self.note(&update.message)
            }
            "owner_instructed" | "owner_notes_changed" => self.note(&update.message),
            "budget_adjusted" => {
                self.limits = update.as_budget_adjusted().map_or(self.limits, |it| it.limits);
                self.note(&update.message);
            }
            "source_fetched" => self.n_pages.0 += 1,
            "source_not_fetched" => self.n_pages.1 += 1,
            "agent_started" => self.fold_agent(update.as_agent_started()),
            "agent_answered" => {
                let answer = update.as_agent_answered().map(|it| it.answer);
                self.session = answer.as_ref().and_then(|answer| answer.session.clone());
                self.branch = answer.and_then(|answer| answer.branch);
            }
            "final_result" => {
                self.result = update.as_final_result();
                self.outcome = Some(update.message.clone());
                self.details = self.is_no_answer().then(|| update.data.clone());
            }
            _ => self.fold_sub_query(event),
        }
        if let Some(RunEnd::Failed(failure)) = RunEnd::of(event) {
            self.failure = Some(failure);
        }
    }

    /// Takes facts from the list of runs that follow from events which were not read.
    pub(crate) fn take_row(&mut self, row: &RunRow) {
        self.status = row.status;
        self.spent = row.spent;
        self.n_events = row.n_events;
        self.updated_at = row.updated_at;
        if let Some(state) = &self.state {
            self.worked_ms = state.worked_ms_at(row.updated_at);
        }
    }

    /// The fate of a branch, notes and alarms, each with its label.
    pub(crate) fn remarks(&self, most_alarms: usize) -> Vec<(&'static str, String)> {
        let landed = self.branch.iter();
        let moved = landed.clone().map(|landed| ("Branch", branch::move_text(landed)));
        let about = landed.flat_map(branch::about).map(|line| ("", line));
        let notes = self.notices.iter().chain(self.notes.iter().take(most_alarms));
        let notices = notes.map(|notice| ("Note", notice.clone()));
        let alarms = self.alarms.iter().take(most_alarms);
        let alarms = alarms.map(|alarm| ("Alarm", alarm.clone()));
        moved.chain(about).chain(notices).chain(alarms).collect()
    }

    fn fold_started(&mut self, event: &Event) {
        self.started_at = event.update.timestamp;
        let Some(started) = event.update.as_run_started() else {
            return;
        };
        self.flow = started.flow;
        self.question = started.title;
        self.program = started.program;
        self.limits = started.limits;
        self.day = started.day;
        (self.kind.begin)(self, event, &started.plan);
    }

    /// The agent that works on it: the requested one, or the one that took over.
    pub(super) fn fold_agent(&mut self, started: Option<AgentStarted>) {
        let Some(started) = started else { return };
        let model = started.model.as_ref();
        let with = model.map_or_else(String::new, |model| format!(" with {model}"));
        self.agent = Some(format!(
            "{}{with}, {} ({})",
            started.agent,
            started.workplace(),
            started.sandbox
        ));
        self.model = started.model;
    }

    fn fold_sub_query(&mut self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "decomposition_complete" => {
                if let Some(it) = update.as_decomposition_complete() {
                    self.set_sub_queries(it.sub_queries);
                }
            }
            "answer_given" => {
                self.asks = None;
                let edited = update
                    .as_answer_given()
                    .and_then(|it| it.answer.get("sub_queries").cloned());
                let edited = edited.and_then(|edited| serde_json::from_value::<Vec<String>>(edited).ok());
                if let Some(edited) = edited.filter(|edited| !edited.is_empty()) {
                    self.set_sub_queries(edited);
                }
            }
            "sub_query_started" => {
                if let Some(it) = update.as_sub_query_started() {
                    self.note_step(it.id, event);
                }
            }
            "sub_query_completed" => {
                if let Some(it) = update.as_sub_query_completed()
                    && let Some(story) = self.sub_queries.get_mut(it.id)
                {
                    story.n_sources = Some(it.citations.len());
                    story.tokens = it.tokens_used;
                    self.note_step(it.id, event);
                }
            }
            "sub_query_failed" => {
                if let Some(it) = update.as_sub_query_failed()
                    && let Some(story) = self.sub_queries.get_mut(it.id)
                {
                    story.error = Some(it.error);
                    story.error_kind = Some(it.error_kind);
                    self.note_step(it.id, event);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, words: &str) {
        if !self.notes.iter().any(|note| note == words) {
            self.notes.push(words.to_owned());
        }
    }

    fn note_step(&mut self, id: usize, event: &Event) {
        if let Some(step) = self.sub_query_steps.get_mut(id) {
            *step = event.step.clone();
        }
    }

    fn set_sub_queries(&mut self, texts: Vec<String>) {
        self.sub_query_steps = vec![None; texts.len()];
        self.sub_queries = texts.into_iter().map(SubQueryStory::new).collect();
    }
}

impl RunView for Story {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        self.fold(event);
        Ok(())
    }

    fn end(&mut self, _end: &RunEnd) -> Result<(), CommandError> {
        Ok(())
    }
}
