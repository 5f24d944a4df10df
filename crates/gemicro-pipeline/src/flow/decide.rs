//! Decides the next step of a pipeline.

use gemicro_core::ask::{AgentTask, SandboxMode, TaskGrant};
use gemicro_core::blob::BlobId;
use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::flow::{Decision, Outcome, RetryPolicy, Step};
use gemicro_core::run::RunState;
use gemicro_event::{Charge, ErrorKind, Failure, StepKey};
use serde::Serialize;

use super::current_phase::{CurrentPhase, PhaseProgress};
use super::events::PhaseEnded;
use super::feedback::feedback_records;
use super::fold::writable_folders;
use super::human::{HumanAnswer, read_human_answer};
use super::prompt::{handover, prompt};
use super::request::request;
use super::result::result;
use super::state::PipelineState;
use super::todo::{Todo, decides, document, merge_phase, todo};
use crate::documents::{DecisionText, decision_document};
use crate::payload::{ExpectedSubmission, PayloadShape};
use crate::steps::{
    AGENT_WORK_STEP, AgentClaim, AgentWork, CHECK_STEP, CheckInput, CheckoutSpec, DELIVER_STEP, DeliverInput,
    DocumentRecord, IMPORT_STEP, INIT_STEP, ImportInput, InitInput, IntendedBranch, MERGE_STEP, MergeInput,
    PhaseDocuments, ProposedLessons, RECORD_STEP, RecordInput,
};
use crate::workflow::{Phase, PhaseWork, PromptError, Role, Writes};

/// Maximum attempts at an agent step.
const ATTEMPTS: u32 = 3;

pub(super) fn decide(state: &PipelineState, run: &RunState) -> Decision {
    if let Some(failure) = &state.failed {
        return Decision::end(Outcome::Failed(failure.clone()));
    }
    if state.is_done {
        return Decision::end(result(state, run));
    }
    if run.deadline.is_some() {
        let message = "the task has used up its time";
        return Decision::end(Outcome::Failed(Failure::new(ErrorKind::BudgetExceeded, message)));
    }
    let (Some(current), Some(next)) = (&state.current, todo(state)) else {
        return Decision::step(init(state));
    };
    let Some(phase) = state.phase_of(current) else {
        return Decision::step(init(state));
    };
    if let (Some(_), PhaseProgress::Entered) = (&phase.human, &current.progress) {
        match read_human_answer(current, run) {
            HumanAnswer::Yes => {}
            HumanAnswer::Open(key) => return Decision::ask(key),
            HumanAnswer::No => {
                let message = format!("a person answered no before phase {}", phase.name);
                let failure = Failure::new(ErrorKind::GateClosed, message);
                return Decision::end(Outcome::Failed(failure.decided_by_person()));
            }
        }
    }
    let steps = PhaseSteps {
        state,
        run,
        current,
        phase,
    };
    let step = match next {
        Todo::Agent => match steps.agent() {
            Ok(step) => step,
            Err(error) => {
                let failure = Failure::new(ErrorKind::InvalidInput, error.to_string());
                return Decision::end(Outcome::Failed(failure));
            }
        },
        Todo::Import => steps.import(),
        Todo::Check => Some(steps.check()),
        Todo::Record => Some(steps.record()),
        Todo::Merge => Some(steps.merge()),
        Todo::Deliver => Some(steps.deliver()),
        // Recorded together with the step that led to it.
        Todo::End(_) => None,
    };
    step.map(Decision::step).unwrap_or_default()
}

fn init(state: &PipelineState) -> Step {
    let plan = &state.plan;
    let input = InitInput {
        place: CheckoutSpec::new(&plan.workflow, &plan.directory, &plan.branch, ""),
        exact: plan.exact_branch,
        goes_on: plan.earlier.is_some(),
        checks: plan.workflow.checks.clone(),
        remote: plan.remote.clone(),
        require_protection: plan.require_protection,
        push: plan.push,
    };
    own_step("init".to_owned(), INIT_STEP, &input)
}

/// A step of gemicro itself: it is free, and leftovers of a killed attempt are recognised.
fn own_step(key: String, kind: &str, input: &impl Serialize) -> Step {
    Step {
        purpose: Purpose::Last,
        retry: RetryPolicy::attempts(ATTEMPTS),
        ..Step::free(StepKey::new(key), kind, input)
    }
}

/// Builds the steps of a phase.
struct PhaseSteps<'a> {
    state: &'a PipelineState,
    run: &'a RunState,
    current: &'a CurrentPhase,
    phase: &'a Phase,
}

impl PhaseSteps<'_> {
    fn key(&self, what: &str) -> String {
        key(self.current, what)
    }

    fn place(&self) -> CheckoutSpec {
        let plan = &self.state.plan;
        let branch = self.state.prepared.as_ref().map_or(&plan.branch, |it| &it.branch);
        CheckoutSpec::new(&plan.workflow, &plan.directory, branch, &self.state.tip)
    }

    fn trailers(&self, what: &str) -> Vec<(String, String)> {
        [
            ("Gemicro-Run", self.run.run.to_string()),
            ("Gemicro-Phase", self.phase.label.clone()),
            ("Gemicro-Step", self.key(what)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    fn agent(&self) -> Result<Option<Step>, PromptError> {
        let (state, current) = (self.state, self.current);
        let Some(role) = state.role_of(self.phase) else {
            return Ok(None);
        };
        let plan = &state.plan;
        let key = self.key(&format!("agent.{}", current.n_answers() + 1));
        let nonce = plan.nonce(&key);
        let agent = role.agent.unwrap_or(plan.agent);
        let model = role.model.clone();
        let model = model.or_else(|| plan.model.clone().filter(|_| agent == plan.agent));
        let place = self.place();
        let limits = &self.run.started.limits;
        let task = AgentTask {
            agent,
            model,
            prompt: prompt(state, current, (self.phase, role), &nonce)?,
            directory: place.directory.clone(),
            sandbox: match role.sandbox {
                Writes::ReadOnly => SandboxMode::ReadOnly,
                Writes::Reviews | Writes::Documents | Writes::WorkspaceWrite => SandboxMode::WorkspaceWrite,
            },
            yolo: true,
            session: current.asked_again().and_then(|asked| asked.session.clone()),
            idle_ms: role.idle_ms,
            total_ms: role.total_ms,
            grant: role_grant(role.grant, limits, self.run.ledger.available(Purpose::Ordinary)),
            recalls: None,
            fails_over: false,
            keep_messages: false,
            branch: Some(place.branch.clone()),
            retold: None,
            asks: false,
            begins_anew: false,
        };
        let cost = task.grant.reservation();
        let merge = match role.shape {
            PayloadShape::IntegrationSpecialist => {
                state.last_merge().map(|merge| merge.merged().main.clone())
            }
            _ => None,
        };
        let work = AgentWork {
            task,
            place,
            only: writable_folders(role.sandbox),
            goes_on: current.asked_again().is_some(),
            merge,
            handover: handover(state, self.phase),
            notes: state.notes.as_ref().map(|notes| BlobId::of(notes.as_bytes())),
            expected: Some(ExpectedSubmission {
                shape: role.shape,
                nonce,
            }),
        };
        Ok(Some(Step {
            cost,
            purpose: Purpose::Ordinary,
            ..own_step(key, AGENT_WORK_STEP, &work)
        }))
    }

    fn import(&self) -> Option<Step> {
        let (state, current) = (self.state, self.current);
        let role = state.role_of(self.phase)?;
        let own = document(state, current, self.phase);
        let kept = state.written.iter().filter(|path| Some(*path) != own.as_ref());
        // From a reviewer only the review is imported; other files there may be part of what was reviewed.
        let only = match (role.sandbox, &own) {
            (Writes::Reviews, Some(own)) => Some(vec![own.clone()]),
            (_, _) => writable_folders(role.sandbox),
        };
        let input = ImportInput {
            place: self.place(),
            only,
            message: format!("{}: {} ({})", self.phase.name, state.plan.feature, role.title),
            trailers: self.trailers("import"),
            claim: self.claim(role)?,
            base: state.prepared.as_ref().map(|it| it.base.clone())?,
            phase: PhaseDocuments {
                kept: kept
                    .filter_map(|path| Some((path.clone(), state.written_in(path)?)))
                    .collect(),
                stands: self.stands(),
                own,
            },
        };
        Some(own_step(self.key("import"), IMPORT_STEP, &input))
    }

    /// Returns true if the rounds just before were of this phase, failed over the same document, and left changes.
    /// Work from before another phase ended is not theirs.
    fn stands(&self) -> bool {
        let is_own = |last: &&PhaseEnded| last.phase == self.phase.name && last.outcome == "again";
        let has_rounds = |pattern: &String| pattern.contains("[N]");
        let is_one_document = !matches!(&self.phase.work, PhaseWork::Agent { document: Some(pattern), .. } if has_rounds(pattern));
        let n_own = self.state.ended.iter().rev().take_while(is_own).count();
        let (others, own) = self.state.ended.split_at(self.state.ended.len() - n_own);
        let found = others.last().map(|it| &it.commit);
        let found = found.or(self.state.prepared.as_ref().map(|it| &it.tip));
        is_one_document && own.last().is_some_and(|last| Some(&last.commit) != found)
    }

    fn claim(&self, role: &Role) -> Option<AgentClaim> {
        let answer = &self.current.answer()?.payload;
        let path = || answer.document().unwrap_or_default().to_owned();
        let commit = || answer.commit_hash().unwrap_or_default().to_owned();
        Some(match role.shape {
            PayloadShape::LeadAnalyst | PayloadShape::PlanReviewer => AgentClaim::Nothing,
            PayloadShape::Investigator | PayloadShape::Researcher | PayloadShape::Auditor => {
                AgentClaim::Document { path: path() }
            }
            PayloadShape::Architect => AgentClaim::Plan { path: path() },
            PayloadShape::Developer => AgentClaim::Work {
                commit: commit(),
                plan: plan_document(self.state).unwrap_or_default(),
                approved: self
                    .state
                    .written_in(&plan_document(self.state).unwrap_or_default())?,
                verification: document(self.state, self.current, self.phase).unwrap_or_default(),
            },
            PayloadShape::IntegrationSpecialist => {
                let merged = self.state.last_merge()?.merged();
                AgentClaim::Merge {
                    commit: commit(),
                    ours: merged.new.clone(),
                    theirs: merged.main.commit.clone(),
                    files: merged.files.clone(),
                }
            }
        })
    }

    fn check(&self) -> Step {
        let input = CheckInput {
            place: self.place(),
            checks: self.state.plan.workflow.checks.clone(),
            records: self.archive().into_iter().collect(),
        };
        own_step(self.key("check"), CHECK_STEP, &input)
    }

    fn record(&self) -> Step {
        let (state, current) = (self.state, self.current);
        let feature = state.plan.feature.to_string();
        let mut records = Vec::new();
        let mut message = format!("{}: {feature}", self.phase.name);
        let mut unless_moved = None;
        let mut lessons = None;
        let mut skills = Vec::new();
        if self.phase.work == PhaseWork::Deliver {
            message = format!("archive: the documents of {feature}");
            unless_moved = merge_phase(state).and(self.main());
            records.extend(self.archive());
            skills.clone_from(&state.skills);
        }
        if let (Some(role), Some(answer)) = (state.role_of(self.phase), current.answer()) {
            let answer = &answer.payload;
            if let (true, Some(path)) = (decides(self.phase, role), document(state, current, self.phase)) {
                let decision = answer.decision();
                message = format!("{}: {} ({feature})", self.phase.name, decision.word());
                let feedback = answer.feedback().map(|it| it.to_text()).unwrap_or_default();
                let text = decision_document(DecisionText {
                    role: &role.title,
                    verdict: decision.word(),
                    feedback: &feedback,
                    feature: &state.plan.feature,
                    version: current.round,
                });
                records.push(DocumentRecord::Write { path, text });
            }
            lessons = ProposedLessons::new(&role.title, &answer.lessons());
            records.extend(feedback_records(state, &self.run.run, answer));
        }
        let input = RecordInput {
            place: self.place(),
            records,
            message,
            trailers: self.trailers("record"),
            unless_moved,
            lessons,
            skills,
        };
        own_step(self.key("record"), RECORD_STEP, &input)
    }

    /// Moves the documents to the archive before the branch is delivered.
    fn archive(&self) -> Option<DocumentRecord> {
        (self.phase.work == PhaseWork::Deliver).then(|| DocumentRecord::Archive {
            paths: self.state.written.clone(),
            feature: self.state.plan.feature.to_string(),
            date: self.state.date(),
        })
    }

    /// Returns main as last merged, or as it was at the start.
    fn main(&self) -> Option<IntendedBranch> {
        let merged = self.state.last_merge().map(|merge| merge.merged().main.clone());
        merged.or_else(|| self.state.prepared.as_ref().map(|it| it.main.clone()))
    }

    fn merge(&self) -> Step {
        let main = self.main().expect("a phase comes after the branch is prepared");
        let input = MergeInput {
            place: self.place(),
            message: format!("Merge {} into {}", main.name, self.place().branch),
            main,
            trailers: self.trailers("merge"),
        };
        own_step(self.key("merge"), MERGE_STEP, &input)
    }

    fn deliver(&self) -> Step {
        let (title, body) = request(self.state, self.run);
        let input = DeliverInput {
            place: self.place(),
            tree: self.state.tree.clone(),
            main: self.main().expect("a phase comes after the branch is prepared"),
            push: self.state.plan.push,
            title,
            body,
        };
        own_step(self.key("deliver"), DELIVER_STEP, &input)
    }
}

/// Returns the key of a step of a phase.
pub(super) fn key(current: &CurrentPhase, what: &str) -> String {
    format!("{}.{}:{what}", current.phase, current.round)
}

/// Returns the document of the phase whose role writes plans.
pub(super) fn plan_document(state: &PipelineState) -> Option<String> {
    let phase = state.phase_with(PayloadShape::Architect)?;
    state.documents.get(&phase.name).cloned()
}

/// Limits a role's budget to what is left of the run's limits.
fn role_grant(role: TaskGrant, limits: &Limits, left: Charge) -> TaskGrant {
    let part = |role: Option<u64>, limit: Option<u64>, left: u64| {
        let left = limit.map(|_| left.max(1));
        match (role, left) {
            (Some(role), Some(left)) => Some(role.min(left)),
            (Some(only), None) | (None, Some(only)) => Some(only),
            (None, None) => None,
        }
    };
    TaskGrant {
        tokens: part(role.tokens, limits.tokens, left.tokens),
        micro_usd: part(role.micro_usd, limits.micro_usd, left.micro_usd),
        turns: part(role.turns, limits.turns, left.turns),
    }
}
