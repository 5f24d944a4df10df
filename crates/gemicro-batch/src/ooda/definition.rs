//! What a program knows about OODA loops.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, PlanFacts, check_price, refuse_secrets};
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, Registry};

use super::{OodaFlow, OodaPlan, register};

/// Why a loop with a key in its commands is refused.
const KEY_IN_COMMANDS: &str =
    "the loop file contains what looks like an API key; let the command read it from a file instead";

impl FlowDefinition for OodaFlow {
    type Plan = OodaPlan;

    fn register(&self, registry: &mut Registry) {
        register(registry);
    }

    fn facts(&self, plan: &OodaPlan) -> PlanFacts {
        PlanFacts {
            title: format!("coverage to {} % on {}", plan.target, plan.branch),
            backend: Some(plan.llm.backend.clone()),
            models: vec![plan.llm.model.clone()],
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, plan: &OodaPlan, limits: &Limits) -> Result<(), Failure> {
        check_price(&plan.llm.model, limits)
    }

    fn question(&self, _plan: &OodaPlan, _key: &str) -> Option<String> {
        Some("Which gap is next? Answer with its number in the list of the run, or stop.".to_owned())
    }

    fn choices(&self, _key: &str) -> &'static [&'static str] {
        &["1", "stop"]
    }

    fn without_secrets(&self, plan: OodaPlan, redactor: &Redactor) -> Result<OodaPlan, Failure> {
        refuse_secrets(&plan.commands, redactor, KEY_IN_COMMANDS).map(|()| plan)
    }
}
