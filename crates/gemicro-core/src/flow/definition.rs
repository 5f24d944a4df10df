//! [`FlowDefinition`]: the properties of a flow besides its decisions.

use gemicro_event::redact::Redactor;
use gemicro_event::{Charge, ErrorKind, Failure, Json, Registry, StreamId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Flow;
use crate::ask::AgentName;
use crate::budget::Limits;
use crate::models::{ModelTable, check_model_name, no_price};

/// Everything that differs between flows. It is written once, in the flow's own folder, and added to the engine's table
/// of flows.
///
/// If a plan has a field `notices` (a list of texts), they are shown to the user.
pub trait FlowDefinition: Flow {
    /// Everything that deciding depends on.
    type Plan: Serialize + DeserializeOwned;

    /// Registers its events, for schemas and checks.
    fn register(&self, registry: &mut Registry);

    /// The facts that can be read from a plan.
    fn facts(&self, plan: &Self::Plan) -> PlanFacts;

    /// Checks that a run of the plan can keep within these limits.
    ///
    /// # Errors
    /// `invalid_input`, with what to change.
    fn check_limits(&self, plan: &Self::Plan, limits: &Limits) -> Result<(), Failure>;

    /// Rejects secrets in anything executed: the journal would redact them, and the step would run without them. The
    /// models of the plan are checked already.
    ///
    /// # Errors
    /// When the whole plan must be refused; a plan with several parts may reject those instead.
    fn without_secrets(&self, plan: Self::Plan, _redactor: &Redactor) -> Result<Self::Plan, Failure> {
        Ok(plan)
    }

    /// The budget reserved for the last step: money and tokens, and time in milliseconds.
    fn held_back(&self, _plan: &Self::Plan, _limits: &Limits) -> (Charge, u64) {
        (Charge::ZERO, 0)
    }

    /// The question to a person under a key, from the plan.
    fn question(&self, _plan: &Self::Plan, _key: &str) -> Option<String> {
        None
    }

    /// Answers to the question under a key that a person can type; the first one continues the run.
    fn choices(&self, _key: &str) -> &'static [&'static str] {
        &["yes", "no"]
    }

    /// Whether an answer is valid for the question under a key.
    fn accepts(&self, _key: &str, _answer: &Json) -> bool {
        true
    }

    /// Whether its runs have boards.
    fn has_board(&self) -> bool {
        false
    }

    /// Code that preloads data while the first step runs. Blocks.
    fn warm_up(&self) -> Option<fn()> {
        None
    }
}

/// Facts that can be read from a plan of any flow.
#[derive(Debug, Clone, Default)]
pub struct PlanFacts {
    /// The request; its first line is the title of the run.
    pub title: String,
    /// The run that it continues, or the conversation that it belongs to.
    pub parent: Option<StreamId>,
    /// It repeats what failed in its parent.
    pub resubmits: bool,
    /// The backend that it needs.
    pub backend: Option<String>,
    /// The agents that it needs.
    pub agents: Vec<AgentName>,
    /// The models that it names.
    pub models: Vec<String>,
    /// It does not use a model.
    pub is_free: bool,
    /// How its result becomes the answer of a tool.
    pub result: ResultView,
}

/// How the result of a run becomes the answer of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ResultView {
    /// Only `gemicro show` shows it.
    #[default]
    ShowOnly,
    /// Text in the field `answer`, with further fields.
    Text {
        /// The tool that starts such runs.
        tool: &'static str,
    },
    /// The answer of an agent.
    Agent {
        /// The agent; its name is also that of the tool.
        agent: AgentName,
        /// Maximum time without output and maximum total time, in milliseconds.
        limits: (u64, u64),
        /// Whether everything that it printed is part of the answer.
        all_messages: bool,
    },
    /// Parts that are polled.
    Polled {
        /// The tool that polls them.
        tool: &'static str,
    },
}

/// Refuses an API key given as a model name.
pub(crate) fn check_model(model: &str, redactor: &Redactor) -> Result<(), Failure> {
    check_model_name(model)?;
    refuse_secrets(
        &model,
        redactor,
        "the model name is one of your keys; it was not used or stored. Give a model name",
    )
}

/// Refuses input that contains a secret: the journal would redact it, and the run would use the redacted text.
///
/// # Errors
/// `invalid_input`, with the message `why`.
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
