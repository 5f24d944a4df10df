//! What the caller holds of a grant, and what it is told at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::budget::{BudgetRefusal, Limits};
use gemicro_event::{Charge, Usage};

use super::account::GrantAccount;
use super::gateway::GatewayState;
use super::quota::ProviderQuota;
use super::secret::GatewaySecret;

/// How long requests that are cut off may take to notice.
const CLOSING: Duration = Duration::from_secs(1);

/// An open grant. Dropping it revokes the token and cuts off what is under way; [`Ticket::close`] also tells what
/// was spent.
#[must_use = "the token is revoked when the ticket is dropped"]
pub struct Ticket {
    gateway: Arc<GatewayState>,
    step: Arc<GrantAccount>,
}

/// What a step used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StepUsage {
    /// Tokens as the provider reported them; requests without a report are not in it.
    pub usage: Usage,
    /// What is charged: reports, and whole reservations where there was none. Never above the budget.
    pub cost: Charge,
    /// What the provider reported above that: more than was reserved and more than was left.
    pub overrun: Option<Charge>,
    /// Requests that went upstream.
    pub n_requests: u64,
    /// Whether a reservation was charged because nobody knows what a request used.
    pub worst_case: bool,
    /// Requests that were refused here, for whatever reason.
    pub n_refused: u64,
    /// The last refusal that had to do with budget or model.
    pub refused: Option<RefusedRequest>,
    /// The last limit that the provider told.
    pub quota: Option<ProviderQuota>,
    /// How often upstream answered with which HTTP status.
    pub statuses: BTreeMap<u16, u64>,
    /// Bytes of bodies sent upstream.
    pub bytes_sent: u64,
    /// Bytes of bodies that came back.
    pub bytes_received: u64,
}

/// A request that was refused here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRequest {
    /// The rule that refused it.
    pub why: RefusedWhy,
    /// What the client was told.
    pub message: String,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedWhy {
    /// Its worst case does not fit into what is left.
    Budget(BudgetRefusal),
    /// The model may not be asked.
    Model,
    /// There is a money budget and no price.
    Price,
    /// It could not be read, was too large, or asked for something that is not served.
    Request,
}

impl Ticket {
    pub(super) fn new(gateway: Arc<GatewayState>, step: Arc<GrantAccount>) -> Self {
        Self { gateway, step }
    }

    /// What the CLI is given as its API key.
    #[must_use]
    pub fn token(&self) -> &str {
        self.step.token.expose()
    }

    /// Whether the token stands for a login instead of a key: some CLIs present the two differently.
    #[must_use]
    pub fn is_for_login(&self) -> bool {
        self.step.grant.key.as_ref().is_some_and(GatewaySecret::is_login)
    }

    /// What was spent so far; requests under way are not in it.
    #[must_use]
    pub fn step_usage(&self) -> StepUsage {
        self.step.step_usage()
    }

    /// Changes the budget. One below what is used already stops new requests.
    pub fn set_budget(&self, budget: Limits) {
        self.step.set_budget(budget);
    }

    /// Revokes the token, cuts off requests under way (they are charged their worst case) and tells what was spent.
    pub async fn close(self) -> StepUsage {
        self.gateway.forget(&self.step);
        self.step.close();
        // Those that do not notice in time are charged all the same.
        let _ = tokio::time::timeout(CLOSING, self.step.idle()).await;
        self.step.forfeit_all();
        self.step.step_usage()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.gateway.forget(&self.step);
        self.step.close();
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("grant", &self.step.grant)
            .finish_non_exhaustive()
    }
}
