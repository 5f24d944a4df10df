//! Registers all executors except those of research and of models: steps of batches, tests, loops and agents.

use std::sync::Arc;

use gemicro_agents::{AgentSetup, SharedAgentResources};
use gemicro_batch::coverage::{COVERAGE_STEP, CoverageExecutor};
use gemicro_batch::proposal::{CHECK_STEP, MATERIAL_STEP, MaterialExecutor};
use gemicro_batch::strategy::{GAPS_STEP, GapsExecutor};
use gemicro_batch::types::{MEMORY_STEP, SHELL_STEP};
use gemicro_core::ask::AGENT_STEP;
use gemicro_core::execute::{Executor, Executors};
use gemicro_event::redact::Redactor;
use gemicro_pipeline::steps::AGENT_WORK_STEP;
use gemicro_store::DurableStore;

use crate::bounded_executor::BoundedExecutor;
use crate::branch_steps::BranchSteps;
use crate::memory::MemorySearch;
use crate::shell::Shell;

/// Maximum number of concurrent shell commands.
const MAX_SHELLS: usize = 8;
/// Maximum number of coverage reports read at the same time: one may need a gigabyte of memory.
const MAX_COVERAGES: usize = 2;

/// The parts that the executors need.
pub struct StepParts {
    /// Runs and conversations.
    pub store: Arc<DurableStore>,
    /// Without it, no process is started.
    pub agents: Option<AgentSetup>,
    /// Gateway, sandbox probe and warm processes that all agents of this process share.
    pub commons: SharedAgentResources,
    /// Runs agents; present if there is a setup.
    pub agent_executor: Option<Arc<dyn Executor>>,
    /// Values that must never be stored.
    pub secrets: Vec<String>,
}

impl StepParts {
    /// Adds these executors to the given ones.
    pub fn added_to(self, executors: Executors) -> Executors {
        let redactor = Redactor::new(&self.secrets);
        let memory = MemorySearch::new(self.store.clone(), redactor.clone());
        let coverage = BoundedExecutor::new(CoverageExecutor, MAX_COVERAGES);
        let executors = executors
            .with(MEMORY_STEP, Arc::new(memory))
            .with(COVERAGE_STEP, Arc::new(coverage))
            .with(MATERIAL_STEP, Arc::new(MaterialExecutor));
        let (Some(setup), Some(agents)) = (self.agents, self.agent_executor) else {
            return executors;
        };
        let commons = self.commons;
        let shell = Shell::new(commons.clone(), setup.clone(), redactor.clone());
        let gaps = GapsExecutor::new(shell.git_settings());
        let shell = Arc::new(BoundedExecutor::new(shell, MAX_SHELLS));
        let on_branch = Arc::new(BranchSteps::new(commons, setup, redactor, self.store));
        let mut executors = executors;
        for kind in BranchSteps::KINDS {
            executors = executors.with(kind, on_branch.clone());
        }
        executors
            .with(SHELL_STEP, shell.clone())
            .with(CHECK_STEP, shell)
            .with(GAPS_STEP, Arc::new(gaps))
            .with(AGENT_WORK_STEP, agents.clone())
            .with(AGENT_STEP, agents)
    }
}
