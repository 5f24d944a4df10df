//! Whether an engine can carry a run that another one started.

use gemicro_batch::ooda::OodaPlan;
use gemicro_batch::proposal::ProposalPlan;
use gemicro_core::ask::{AgentName, AskPlan};
use gemicro_core::llm::LlmConfig;
use gemicro_core::prompt::ModelTask;
use gemicro_core::research::ResearchPlan;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_pipeline::plan::PipelinePlan;
use sha2::{Digest, Sha256};

use crate::Engine;
use crate::flows::FlowKind;

impl Engine {
    /// A run's mark of the keys and endpoints it was started with; it says nothing to who does not have them.
    pub(crate) fn carrier(&self, run: &StreamId) -> String {
        let digest = Sha256::digest(format!("{run}\n{}", self.credentials));
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether the keys and logins that there are can carry a run.
    ///
    /// # Errors
    /// What is missing.
    pub async fn can_carry(&self, id: &StreamId) -> Result<(), Failure> {
        let first = self.store.read(id, 0, 1).await?;
        let started = first
            .events
            .first()
            .and_then(|event| event.update.as_run_started());
        let Some(started) = started else {
            let message = format!("run {id} has no beginning");
            return Err(Failure::new(ErrorKind::StorageError, message));
        };
        if started.carrier.is_some_and(|carrier| carrier != self.carrier(id)) {
            let message = "it was started with other keys or endpoints";
            return Err(Failure::new(ErrorKind::AuthFailed, message));
        }
        let missing = match FlowKind::named(&started.flow)? {
            FlowKind::Ask => {
                let plan: Option<AskPlan> = started.plan.parse().ok();
                let agent = plan.map(|plan| plan.task.agent);
                agent
                    .filter(|agent| !self.can.agents.contains(agent))
                    .map(|agent| agent.to_string())
            }
            FlowKind::Research => {
                let plan: Option<ResearchPlan> = started.plan.parse().ok();
                self.without_backend(plan.and_then(|plan| plan.engine.llm().cloned()))
            }
            FlowKind::Prompt => {
                let plan: Option<ModelTask> = started.plan.parse().ok();
                self.without_backend(plan.map(|plan| plan.llm))
            }
            FlowKind::TestProposal => {
                let plan: Option<ProposalPlan> = started.plan.parse().ok();
                self.without_backend(plan.map(|plan| plan.llm))
            }
            FlowKind::Ooda => {
                let plan: Option<OodaPlan> = started.plan.parse().ok();
                self.without_backend(plan.map(|plan| plan.llm))
            }
            FlowKind::Pipeline => {
                let plan: Option<PipelinePlan> = started.plan.parse().ok();
                let agents = plan.map(|plan| plan.agents()).unwrap_or_default();
                let missing = agents.into_iter().find(|agent| !self.can.agents.contains(agent));
                missing.map(|agent| agent.to_string())
            }
            // Their tasks or steps say one by one what they miss.
            FlowKind::Batch | FlowKind::Strategy => None,
        };
        match missing {
            None => Ok(()),
            Some(missing) => {
                let message = format!("there is no key and no login for {missing}");
                Err(Failure::new(ErrorKind::AuthFailed, message))
            }
        }
    }

    /// The backend of these settings, where it cannot be called here.
    fn without_backend(&self, llm: Option<LlmConfig>) -> Option<String> {
        let is_missing = |backend: &String| match AgentName::of_backend(backend) {
            Some(agent) => !self.can.agents.contains(&agent),
            None => !self.can.llm.has(backend),
        };
        llm.map(|llm| llm.backend).filter(is_missing)
    }
}
