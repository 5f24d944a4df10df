//! The flow of `propose_test` and `refine_test`: gather material, ask, check, and ask again with the failure.

use gemicro_core::flow::{Decision, Flow, Outcome, Step, StepEnd, read_plan};
use gemicro_core::llm::LlmResponse;
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_core::run::events::StepFailed;
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, Json, StepKey, Timestamp, event_enum};
use serde_json::json;

use super::check::{CHECK_STEP, ProposalCheckInput, ProposalChecked};
use super::events::{TestChecked, TestMaterialGathered, TestProposed};
use super::material::{MATERIAL_STEP, ProposalMaterial};
use super::plan::ProposalPlan;
use super::prompts::{EarlierTest, ProposalQuestion};

event_enum! {
    /// The events that a proposal reads from its journal.
    enum ProposalEvent {
        read: TestMaterialGathered, TestProposed, TestChecked, StepFailed;
    }
}

/// The flow of runs that propose one test.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProposalFlow;

/// The state of a proposal.
#[derive(Debug)]
pub struct ProposalState {
    plan: ProposalPlan,
    material: Option<ProposalMaterial>,
    /// Answers and the results of their checks, in order.
    rounds: Vec<(String, Option<ProposalChecked>)>,
    failed: Option<Failure>,
}

impl Flow for ProposalFlow {
    type State = ProposalState;

    fn name(&self) -> &'static str {
        "test_proposal"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<ProposalState, Failure> {
        Ok(ProposalState {
            plan: read_plan(plan)?,
            material: None,
            rounds: Vec::new(),
            failed: None,
        })
    }

    fn fold(&self, state: &mut ProposalState, event: &Event) {
        match ProposalEvent::of(&event.update) {
            ProposalEvent::TestMaterialGathered(gathered) => state.material = Some(gathered.material),
            ProposalEvent::TestProposed(proposed) => state.rounds.push((proposed.answer, None)),
            ProposalEvent::TestChecked(checked) => {
                if let Some(round) = state.rounds.last_mut() {
                    round.1 = Some(checked.checked);
                }
            }
            ProposalEvent::StepFailed(failed) => state.failed = Some(failed.error),
            ProposalEvent::Unknown => {}
        }
    }

    fn decide(&self, state: &ProposalState, run: &RunState) -> Decision {
        if let Some(failure) = &state.failed {
            return Decision::end(state.best_or(failure, run));
        }
        let Some(material) = &state.material else {
            return Decision::step(state.plan.material.step(StepKey::new("material")));
        };
        let n_rounds = state.n_rounds();
        match state.rounds.last() {
            None => Decision::step(state.question(1, material, state.plan.earlier.as_ref())),
            Some((answer, None)) => {
                let input = ProposalCheckInput {
                    directory: state.plan.material.directory.clone(),
                    answer: answer.clone(),
                    leave: state.plan.leave.clone(),
                    trying: state.plan.trying.clone(),
                };
                Decision::step(input.step(StepKey::new(format!("check:{n_rounds}"))))
            }
            Some((answer, Some(checked))) => match checked.failure() {
                None => Decision::end(state.result(checked, None, run)),
                Some(failure) if n_rounds < state.plan.max_rounds => {
                    // The model's own text: showing it a diff would invite a diff.
                    let patch = answer.clone();
                    let earlier = EarlierTest { patch, failure };
                    Decision::step(state.question(n_rounds + 1, material, Some(&earlier)))
                }
                Some(failure) => {
                    let failure = Failure::new(ErrorKind::MalformedOutput, failure);
                    Decision::end(state.best_or(&failure, run))
                }
            },
        }
    }

    fn announce(&self, _state: &ProposalState, _step: &Step, _at: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }

    fn describe(&self, state: &ProposalState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let StepEnd::Completed(done) = end else {
            return Vec::new();
        };
        let update = match step.kind.as_str() {
            MATERIAL_STEP => done
                .output
                .parse()
                .ok()
                .map(|material| AgentUpdate::new(&TestMaterialGathered { material }, at)),
            CHECK_STEP => done.output.parse().ok().map(|checked| {
                let attempt = state.n_rounds();
                AgentUpdate::new(&TestChecked { attempt, checked }, at)
            }),
            _ => done.output.parse::<LlmResponse>().ok().map(|response| {
                let proposed = TestProposed {
                    round: 1,
                    attempt: state.n_rounds() + 1,
                    model: state.plan.llm.model.clone(),
                    answer: response.text,
                    usage: response.usage,
                };
                AgentUpdate::new(&proposed, at)
            }),
        };
        update.into_iter().collect()
    }
}

impl ProposalState {
    fn n_rounds(&self) -> u32 {
        u32::try_from(self.rounds.len()).unwrap_or(u32::MAX)
    }

    fn question(&self, round: u32, material: &ProposalMaterial, earlier: Option<&EarlierTest>) -> Step {
        let question = ProposalQuestion {
            material,
            context: &self.plan.context,
            earlier,
        };
        let key = StepKey::new(format!("propose:{round}"));
        self.plan.prompts.step(key, question, &self.plan.llm)
    }

    /// The last patch that applies, with its remaining problem; if there is none, the failure.
    fn best_or(&self, failure: &Failure, run: &RunState) -> Outcome {
        let applying = self
            .rounds
            .iter()
            .rev()
            .filter_map(|(_, checked)| checked.as_ref());
        let best = applying.into_iter().find(|checked| checked.problem.is_none());
        match best {
            Some(checked) => self.result(checked, Some(failure), run),
            None => Outcome::Failed(failure.clone()),
        }
    }

    fn result(&self, checked: &ProposalChecked, failure: Option<&Failure>, run: &RunState) -> Outcome {
        let lines = self.material.as_ref().map(ProposalMaterial::line_list);
        let names: Vec<&str> = checked.files.iter().map(|file| file.path.as_str()).collect();
        let verified = checked.tried.as_ref().map(super::check::TriedTest::is_good);
        Outcome::Completed {
            message: format!("A test for {} in {}", self.plan.material.target, names.join(", ")),
            data: Json::from(json!({
                "answer": checked.patch,
                "patch": checked.patch,
                "files": checked.files,
                "target_file": self.plan.material.target,
                "lines": lines,
                "applies": true,
                "verified": verified,
                "failure_output": checked.failure(),
                "test_output": checked.tried.as_ref().map(|tried| tried.output.clone()),
                "rounds": self.n_rounds(),
                "partial": failure.map(|failure| failure.message.clone()),
                "warnings": self.material.as_ref().map(|material| material.warnings.clone()).unwrap_or_default(),
                "model": self.plan.llm.model,
                "metadata": ResultMetadata::of(run),
            })),
        }
    }
}
