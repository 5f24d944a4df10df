//! What the run of a plan may use, and whether that can be kept.

use gemicro_core::budget::Limits;
use gemicro_core::models::{ModelTable, no_price};
use gemicro_event::{ErrorKind, Failure};

use crate::Plan;

impl Plan {
    /// What the run may use.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        match self {
            Self::Research { limits, .. }
            | Self::Ask { limits, .. }
            | Self::Prompt { limits, .. }
            | Self::Batch { limits, .. }
            | Self::TestProposal { limits, .. }
            | Self::Strategy { limits, .. }
            | Self::Ooda { limits, .. }
            | Self::Pipeline { limits, .. } => limits,
        }
    }

    /// The same plan within other limits.
    ///
    /// # Errors
    /// `invalid_input` where they cannot be kept.
    pub(crate) fn with_limits(&self, within: Limits) -> Result<Self, Failure> {
        let mut plan = self.clone();
        match &mut plan {
            Self::Research { plan, .. } => plan.check(&within)?,
            Self::Ask { plan, .. } => priced_if_named(plan.task.model.as_deref(), &within)?,
            Self::Prompt { plan, .. } => priced(&plan.llm.model, &within)?,
            Self::TestProposal { plan, .. } => priced(&plan.llm.model, &within)?,
            Self::Ooda { plan, .. } => priced(&plan.llm.model, &within)?,
            Self::Pipeline { plan, .. } => priced_if_named(plan.model.as_deref(), &within)?,
            // Their tasks are checked one by one, each with its part.
            Self::Batch { .. } | Self::Strategy { .. } => {}
        }
        match &mut plan {
            Self::Research { limits, .. }
            | Self::Ask { limits, .. }
            | Self::Prompt { limits, .. }
            | Self::Batch { limits, .. }
            | Self::TestProposal { limits, .. }
            | Self::Strategy { limits, .. }
            | Self::Ooda { limits, .. }
            | Self::Pipeline { limits, .. } => *limits = within,
        }
        Ok(plan)
    }
}

/// Refuses a budget in dollars for a model without a price.
pub(crate) fn priced(model: &str, limits: &Limits) -> Result<(), Failure> {
    if limits.micro_usd.is_none() || ModelTable::embedded().price(model).is_some() {
        return Ok(());
    }
    let message = no_price(model);
    Err(Failure::new(ErrorKind::InvalidInput, message))
}

fn priced_if_named(model: Option<&str>, limits: &Limits) -> Result<(), Failure> {
    model.map_or(Ok(()), |model| priced(model, limits))
}
