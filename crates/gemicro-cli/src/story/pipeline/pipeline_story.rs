//! The state of a pipeline, folded from its events for people.

use gemicro_core::command::AgentCommand;
use gemicro_core::flow::Flow;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::pipeline::flow::{PipelineFlow, PipelineReaders};
use gemicro_engine::pipeline::steps::{DeliverResult, InitResult, MergeResult};
use gemicro_engine::pipeline::workflow::PhaseWork;
use gemicro_event::{Charge, Event, Json, StepKey, StreamId, Timestamp, is_terminal};
use gemicro_pipeline::documents::{Feature, moved_to};
use serde::Serialize;

use super::{GateStory, PhaseStory};
use crate::screen::text;

/// A pipeline so far.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct PipelineStory {
    /// The task, in the user's words.
    pub(crate) task: String,
    pub(crate) mode: String,
    /// The user's checkout, or a folder in it.
    pub(crate) directory: String,
    /// The branch: first as planned, then as created.
    pub(crate) branch: String,
    /// The result of the first step.
    pub(crate) prepared: Option<InitResult>,
    /// The branch's commit after the run's last step.
    pub(crate) tip: Option<String>,
    /// The phases that were entered, in order.
    pub(crate) phases: Vec<PhaseStory>,
    /// The checkout for the user to look at.
    pub(crate) worktree: Option<String>,
    /// Changes that the user should look at.
    pub(crate) reports: Vec<String>,
    /// How it was delivered.
    pub(crate) delivered: Option<DeliverResult>,
    /// The question to a person, while it is open.
    pub(crate) question: Option<String>,
    /// The gates at which a person was asked, in order.
    pub(crate) gates: Vec<GateStory>,
    /// Main as the earlier run last merged it.
    pub(crate) merged_before: Option<MergeResult>,
    /// The commit that the branch started from, in the first of several runs.
    pub(crate) began_at: Option<String>,
    /// The earlier run that it continues.
    pub(crate) goes_on_from: Option<StreamId>,
    /// The run that later continued on the branch, if there is one.
    pub(crate) gone_on_by: Option<StreamId>,
    /// Changes made when the request became a plan.
    #[serde(skip)]
    pub(crate) notices: Vec<String>,
    /// Whether it is being worked on.
    #[serde(skip)]
    pub(crate) pace: Pace,
    /// When work stopped, while it is suspended.
    #[serde(skip)]
    pub(super) stopped_at: Option<Timestamp>,
    /// Its name in documents and its start day, which are both part of the names of archived documents.
    #[serde(skip)]
    pub(super) archived_as: Option<(Feature, String)>,
    /// The phases of the workflow, in the order of its file.
    #[serde(skip)]
    pub(crate) planned: Vec<PlannedPhase>,
}

/// Whether a run is being worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    #[default]
    Working,
    /// It is suspended, or waits for something.
    Waiting,
    Over,
}

/// A phase of the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedPhase {
    /// Its name in the workflow.
    pub(crate) name: String,
    /// Its name for people.
    pub(crate) label: String,
    /// The role that works in it.
    pub(crate) role: Option<String>,
    /// The question to a person before it begins.
    pub(crate) human: Option<String>,
}

impl PipelineStory {
    /// The story of a run with this plan; `None` if it is not a pipeline's plan.
    pub(crate) fn of_plan(plan: &Json) -> Option<Self> {
        let state = PipelineFlow.start(plan).ok()?;
        let plan = state.plan();
        let roles = &plan.workflow.roles;
        let planned = plan.workflow.phases.iter().map(|phase| PlannedPhase {
            name: phase.name.clone(),
            label: phase.label.clone(),
            role: match &phase.work {
                PhaseWork::Agent { role, .. } => roles.get(role).map(|role| role.title.clone()),
                PhaseWork::Merge | PhaseWork::Deliver => None,
            },
            human: phase.human.clone(),
        });
        Some(Self {
            task: plan.task.clone(),
            mode: plan.mode.to_string(),
            directory: plan.directory.clone(),
            branch: plan.branch.clone(),
            began_at: plan.earlier.as_ref().map(|earlier| earlier.base.clone()),
            goes_on_from: plan.earlier.as_ref().map(|earlier| earlier.run.clone()),
            merged_before: plan.merged_before().cloned(),
            notices: plan.notices.clone(),
            archived_as: Some((plan.feature.clone(), String::new())),
            planned: planned.collect(),
            ..Self::default()
        })
    }

    /// Takes the next event into account.
    pub(crate) fn fold(&mut self, event: &Event) {
        let (update, at) = (&event.update, event.update.timestamp);
        match update.event_type.as_str() {
            "run_started" => {
                if let Some((_, day)) = &mut self.archived_as {
                    *day = at.to_string().chars().take(10).collect();
                }
            }
            "step_started" => {
                if let Some(it) = update.as_step_started() {
                    self.step_began(&it.step, at);
                }
            }
            "step_completed" => {
                if let Some(it) = update.as_step_completed() {
                    self.add(&it.step, it.charge);
                }
            }
            "step_retrying" => {
                if let Some(it) = update.as_step_retrying() {
                    self.add(&it.step, it.charge);
                }
            }
            "step_parked" => {
                if let Some(it) = update.as_step_parked() {
                    self.add(&it.step, it.charge);
                }
            }
            "step_failed" => {
                if let Some(it) = update.as_step_failed() {
                    self.add(&it.step, it.charge);
                }
            }
            "step_lost" => {
                if let Some(it) = update.as_step_lost() {
                    self.add(&it.step, it.charge);
                }
            }
            "pipeline_prepared" => {
                if let Some(it) = update.as_pipeline_prepared() {
                    self.prepare(it.prepared);
                }
            }
            "phase_started" => {
                if let Some(it) = update.as_phase_started() {
                    self.phases.push(PhaseStory::new(it, at, self.tip.clone()));
                }
            }
            "answer_requested" => {
                let asked = update.as_answer_requested();
                self.question = asked.and_then(|asked| self.ask(asked.key, at));
            }
            "answer_given" => {
                if let Some(it) = update.as_answer_given() {
                    self.answer(&it.key, &it.answer, it.by, Some(at));
                }
            }
            _ => {
                self.fold_pace(event);
                self.fold_phase(event);
            }
        }
    }

    /// Takes an answer into account that is stored until the run continues.
    pub(crate) fn keep(&mut self, command: &AgentCommand) {
        let text = |name: &str| Some(command.data.get(name)?.as_str()?.to_owned());
        let is_open = |key: &String| {
            self.gates
                .iter()
                .any(|gate| gate.key == *key && gate.said.is_none())
        };
        if let (Some(key), Some(answer)) = (text("key").filter(is_open), command.data.get("answer")) {
            self.answer(&key, &Json::from(answer.clone()), text("by"), None);
        }
    }

    /// The commit of main that the branch contains: the last merged one, or the one it started from.
    pub(crate) fn main_in_it(&self) -> Option<&str> {
        let merged = self.phases.iter().rev().find_map(|phase| phase.merged.as_ref());
        let merged = merged.or(self.merged_before.as_ref());
        let merged = merged.map(|merged| merged.main.commit.as_str());
        merged.or_else(|| Some(self.prepared.as_ref()?.base.as_str()))
    }

    /// The phase that was entered last.
    pub(crate) fn last(&self) -> Option<&PhaseStory> {
        self.phases.last()
    }

    /// The command that re-enters the phase which can fix the failure of the run; `None` if there is no branch.
    pub(crate) fn again(&self, run: &StreamId) -> Option<String> {
        self.prepared.as_ref()?;
        let phase = self.last().map(|it| it.next.as_ref().unwrap_or(&it.phase));
        let from = phase.map(|phase| format!(" --from {}", text::one_line(phase)));
        Some(format!("gemicro retry {run}{}", from.unwrap_or_default()))
    }

    /// The story of a run from its journal; `None` if it is not a pipeline.
    pub(crate) fn of_events(events: &[Event]) -> Option<Self> {
        let started = events.first()?.update.as_run_started()?;
        let mut story = Self::of_plan(&started.plan).filter(|_| started.flow == PipelineFlow.name())?;
        events.iter().for_each(|event| story.fold(event));
        Some(story)
    }

    /// A phase of the workflow, by its name.
    pub(crate) fn phase_plan(&self, name: &str) -> Option<&PlannedPhase> {
        self.planned.iter().find(|phase| phase.name == name)
    }

    /// The phase whose gate has a key such as `plan.1:human`; `None` if the key is not that of a gate.
    pub(crate) fn gate(&self, key: &str) -> Option<&PlannedPhase> {
        let (place, _) = key.split_once(":human")?;
        let (name, _) = place.rsplit_once('.')?;
        self.phase_plan(name).filter(|phase| phase.human.is_some())
    }

    fn ask(&mut self, key: String, at: Timestamp) -> Option<String> {
        let gate = self.gate(&key)?;
        let (phase, question) = (gate.name.clone(), gate.human.clone()?);
        if self.gates.iter().any(|gate| gate.key == key) {
            return Some(question);
        }
        self.gates.push(GateStory {
            key,
            phase,
            question: question.clone(),
            asked_at: at,
            said: None,
            by: None,
            said_at: None,
        });
        Some(question)
    }

    fn answer(&mut self, key: &str, answer: &Json, by: Option<String>, at: Option<Timestamp>) {
        let mut gates = self.gates.iter_mut().rev();
        if let Some(gate) = gates.find(|gate| gate.key == key && gate.said_at.is_none()) {
            gate.answer(answer, by, at);
        }
        self.question = None;
    }

    /// Suspended time does not count towards a phase.
    fn fold_pace(&mut self, event: &Event) {
        let (update, at) = (&event.update, event.update.timestamp);
        match update.event_type.as_str() {
            "run_suspended" => {
                self.pace = Pace::Waiting;
                self.stopped_at = update.as_run_suspended().map(|it| it.stopped_at);
            }
            "run_resumed" => {
                self.pace = Pace::Working;
                let phase = self.phases.last_mut().filter(|phase| phase.ended_at.is_none());
                if let (Some(stopped), Some(phase)) = (self.stopped_at.take(), phase) {
                    phase.rest(stopped, at);
                }
            }
            "run_parked" => self.pace = Pace::Waiting,
            "run_woken" => self.pace = Pace::Working,
            _ if is_terminal(&update.event_type) => self.pace = Pace::Over,
            _ => {}
        }
    }

    fn fold_phase(&mut self, event: &Event) {
        let update = &event.update;
        let Some(phase) = self.phases.last_mut() else {
            return;
        };
        match update.event_type.as_str() {
            "phase_answered" => {
                if let Some(it) = update.as_phase_answered() {
                    phase.answer(&it);
                }
            }
            "phase_imported" => {
                if let Some(it) = update.as_phase_imported() {
                    phase.refused = it.refused;
                    if let Some(taken) = it.taken {
                        self.reports.extend(taken.reports.iter().cloned());
                        self.worktree = taken.worktree.clone().or(self.worktree.take());
                        phase.to_commit = Some(taken.new.clone());
                        phase.taken = Some(taken);
                    }
                }
            }
            "phase_checked" => {
                if let Some(it) = update.as_phase_checked() {
                    phase.checks = it.evidence.checks;
                }
            }
            "phase_recorded" => {
                if let Some(it) = update.as_phase_recorded() {
                    phase.to_commit = Some(it.recorded.new);
                    phase.recorded.extend(it.recorded.paths.iter().cloned());
                    self.tip.clone_from(&phase.to_commit);
                    self.archive(&it.recorded.paths);
                }
                return;
            }
            "branch_merged" => {
                if let Some(it) = update.as_branch_merged() {
                    phase.to_commit = Some(it.merged.new.clone());
                    phase.merged = Some(it.merged);
                }
            }
            "pipeline_delivered" => self.delivered = update.as_pipeline_delivered().map(|it| it.delivered),
            "phase_ended" => {
                if let Some(it) = update.as_phase_ended() {
                    phase.end(it, update.timestamp);
                }
            }
            _ => return,
        }
        self.tip.clone_from(&phase.to_commit);
    }

    /// Updates the paths of documents that were moved to the archive.
    fn archive(&mut self, written: &[String]) {
        let Some((feature, day)) = &self.archived_as else {
            return;
        };
        let documents = self.phases.iter().filter_map(|phase| phase.document.clone());
        let moves = moved_to(&documents.collect::<Vec<_>>(), feature, day, written);
        for document in self.phases.iter_mut().filter_map(|phase| phase.document.as_mut()) {
            if let Some(to) = moves.get(document) {
                document.clone_from(to);
            }
        }
    }

    fn prepare(&mut self, mut prepared: InitResult) {
        // When a folder was recreated, its base is where it was recreated, not where the branch started.
        prepared.base = self.began_at.clone().unwrap_or(prepared.base);
        self.branch.clone_from(&prepared.branch);
        self.tip = Some(prepared.tip.clone());
        self.worktree.clone_from(&prepared.worktree);
        self.prepared = Some(prepared);
    }

    fn step_began(&mut self, step: &StepKey, at: Timestamp) {
        if let Some(phase) = self.phases.last_mut().filter(|phase| phase.has(step)) {
            phase.step_at = at;
        }
    }

    fn add(&mut self, step: &StepKey, charge: Charge) {
        if let Some(phase) = self.phases.last_mut().filter(|phase| phase.has(step)) {
            phase.charge = phase.charge.plus(charge);
        }
    }
}
