//! What a program knows about a flow beside how it decides: [`FlowDefinition`].

use gemicro_event::redact::Redactor;
use gemicro_event::{Charge, ErrorKind, Failure, Json, Registry, StreamId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Flow;
use crate::ask::AgentName;
use crate::budget::Limits;
use crate::models::{ModelTable, check_model_name, no_price};

/// Everything about a flow that differs from flow to flow. It is written once, in the flow's own folder, and put into
/// the table of the engine.
///
/// A plan with a field `notices` (a list of texts) has them shown to the user.
pub trait FlowDefinition: Flow {
    /// Everything that deciding depends on.
    type Plan: Serialize + DeserializeOwned;

    /// Registers its events, for schemas and checks.
    fn register(&self, registry: &mut Registry);

    /// What is read off a plan.
    fn facts(&self, plan: &Self::Plan) -> PlanFacts;

    /// Checks whether a run of the plan can keep these limits.
    ///
    /// # Errors
    /// `invalid_input`, with what to change.
    fn check_limits(&self, plan: &Self::Plan, limits: &Limits) -> Result<(), Failure>;

    /// Rejects secrets in what is executed: what is not written down is not run. The models of the plan are checked
    /// already.
    ///
    /// # Errors
    /// When the plan as a whole must be refused; one with parts may reject those instead.
    fn without_secrets(&self, plan: Self::Plan, _redactor: &Redactor) -> Result<Self::Plan, Failure> {
        Ok(plan)
    }

    /// What the budget keeps back for the last step: money and tokens, and time in milliseconds.
    fn held_back(&self, _plan: &Self::Plan, _limits: &Limits) -> (Charge, u64) {
        (Charge::ZERO, 0)
    }

    /// What a person is asked under a key, in the words of the plan.
    fn question(&self, _plan: &Self::Plan, _key: &str) -> Option<String> {
        None
    }

    /// Whether an answer says something to the question under a key.
    fn accepts(&self, _key: &str, _answer: &Json) -> bool {
        true
    }

    /// Whether its runs have boards.
    fn has_board(&self) -> bool {
        false
    }

    /// What is worth loading while the first step is on its way. Blocks.
    fn warm_up(&self) -> Option<fn()> {
        None
    }
}

/// What is read off a plan, whatever its flow.
#[derive(Debug, Clone, Default)]
pub struct PlanFacts {
    /// What was asked; its first line is the title of the run.
    pub title: String,
    /// The run that it continues, or the conversation that it belongs to.
    pub parent: Option<StreamId>,
    /// It does again what failed in its parent.
    pub resubmits: bool,
    /// The backend without which it cannot be carried out.
    pub backend: Option<String>,
    /// The agents without which it cannot be carried out.
    pub agents: Vec<AgentName>,
    /// The models that it names.
    pub models: Vec<String>,
    /// It asks no model at all.
    pub is_free: bool,
    /// How its result is read as the answer of a tool.
    pub result: ResultView,
}

/// How the result of a run is read as the answer of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ResultView {
    /// Only `gemicro show` shows it.
    #[default]
    ShowOnly,
    /// A text in the field `answer`, with further fields beside it.
    Text {
        /// The tool that starts such runs.
        tool: &'static str,
    },
    /// The answer of an agent.
    Agent {
        /// The agent, which is the tool.
        agent: AgentName,
        /// Its limits of silence and of time, in milliseconds.
        limits: (u64, u64),
        /// Everything that it printed is part of the answer.
        all_messages: bool,
    },
    /// Parts that are polled.
    Polled {
        /// The tool that polls them.
        tool: &'static str,
    },
}

/// Refuses a key in the place of a model's name.
pub(crate) fn check_model(model: &str, redactor: &Redactor) -> Result<(), Failure> {
    check_model_name(model)?;
    refuse_secrets(
        &model,
        redactor,
        "the model name is one of your keys; it was not used or stored. Give a model name",
    )
}

/// Refuses what holds a secret: without it in the journal, it would be run without it.
///
/// # Errors
/// `invalid_input`, with these words.
pub fn refuse_secrets(executed: &impl Serialize, redactor: &Redactor, why: &str) -> Result<(), Failure> {
    let text = serde_json::to_string(executed)
        .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    match redactor.redact(&text) == text {
        true => Ok(()),
        false => Err(Failure::new(ErrorKind::InvalidInput, why)),
    }
}

/// Refuses a budget in dollars for a model without a price.
///
/// # Errors
/// `invalid_input`, with what to do.
pub fn check_price(model: &str, limits: &Limits) -> Result<(), Failure> {
    if limits.micro_usd.is_none() || ModelTable::embedded().price(model).is_some() {
        return Ok(());
    }
    Err(Failure::new(ErrorKind::InvalidInput, no_price(model)))
}
