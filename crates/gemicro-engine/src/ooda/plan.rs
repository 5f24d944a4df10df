//! From a request to the plan of a loop.

use gemicro_batch::ooda::{OodaPlan, Order};
use gemicro_batch::proposal::TestPrompts;
use gemicro_event::{ErrorKind, Failure};

use crate::Plan;
use crate::plan::{current, folder, task_branch};
use crate::plan_limits::priced;
use crate::request::OodaRequest;

/// A test with its patch is longer than an answer in words.
const LEAST_OUTPUT_TOKENS: u64 = 8_192;

impl Plan {
    /// Resolves and checks a loop.
    pub(crate) fn ooda(request: &OodaRequest) -> Result<Self, Failure> {
        let wrong = |message: String| Err(Failure::new(ErrorKind::InvalidInput, message));
        if !(0.0..=100.0).contains(&request.target) {
            return wrong(format!(
                "the target is a part of all lines in percent, not {}",
                request.target
            ));
        }
        let Order { command: test, .. } = &request.commands.test;
        let Order {
            command: coverage, ..
        } = &request.commands.coverage;
        for (name, command) in [("test", test), ("coverage", coverage)] {
            if command.trim().is_empty() || command.contains('\0') {
                return wrong(format!("the {name} command is empty"));
            }
        }
        if request.max_rounds == 0 || request.max_attempts == 0 || request.patience == 0 {
            return wrong("rounds, attempts and patience are at least 1".to_owned());
        }
        let mut notices = Vec::new();
        let mut llm = current(&request.llm, &mut notices)?;
        llm.max_output_tokens = llm.max_output_tokens.max(LEAST_OUTPUT_TOKENS);
        priced(&llm.model, &request.limits)?;
        Ok(Self::Ooda {
            plan: Box::new(OodaPlan {
                directory: folder(&request.directory)?,
                branch: task_branch(&request.branch)?,
                commands: request.commands.clone(),
                target: request.target,
                decider: request.decider,
                max_rounds: request.max_rounds,
                max_attempts: request.max_attempts,
                patience: request.patience,
                mutants: request.mutants,
                context: request.context.clone(),
                llm,
                prompts: TestPrompts::default(),
                notices,
            }),
            limits: request.limits,
        })
    }
}
