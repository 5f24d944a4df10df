//! The account of one ticket: reserve before a request goes out, settle when it ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gemicro_core::budget::Ledger;
use gemicro_core::budget::{BudgetRefusal, LimitKind, Limits, Purpose};
use gemicro_event::{Charge, StepKey, Timestamp};
use reqwest::Client;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::bound::RequestBound;
use super::config::GatewayConfig;
use super::grant::GatewayGrant;
use super::mask::KeyMask;
use super::note::{GatewayNote, NoteKind};
use super::quota::ProviderQuota;
use super::reservation::Reservation;
use super::secret::GrantToken;
use super::ticket::{RefusedRequest, RefusedWhy, StepUsage};
use super::wire::ReportedUsage;

/// After this many refusals only every doubling is told.
const TOLD_REFUSALS: u64 = 8;

/// An open grant and all that is known of it.
pub(super) struct GrantAccount {
    pub(super) grant: GatewayGrant,
    pub(super) token: GrantToken,
    pub(super) client: Client,
    pub(super) mask: KeyMask,
    /// Room for bodies of requests, in bytes.
    pub(super) room: Arc<Semaphore>,
    /// Fires when the ticket is closed: whatever is under way stops.
    pub(super) closed: CancellationToken,
    state: Mutex<AccountState>,
    /// Fires whenever a reservation ends.
    settled: Notify,
}

struct AccountState {
    ledger: Ledger,
    key: StepKey,
    /// Reservations of requests under way.
    open: BTreeMap<u32, Charge>,
    next: u32,
    is_closed: bool,
    spent: StepUsage,
}

/// How much may be asked for, and for how long one waits for it.
pub(super) struct Terms {
    pub(super) least_output: u64,
    pub(super) wait: Duration,
}

/// Why there is no reservation.
pub(super) enum UnreservedRequest {
    Closed,
    Refused(BudgetRefusal),
}

impl GrantAccount {
    pub(super) fn new(
        grant: GatewayGrant,
        token: GrantToken,
        client: Client,
        config: &GatewayConfig,
    ) -> Self {
        let key = StepKey::new("gateway");
        Self {
            mask: KeyMask::new(grant.key.as_ref()),
            // One body must always fit.
            room: Arc::new(Semaphore::new(config.held_bytes.max(config.body_bytes))),
            closed: CancellationToken::new(),
            state: Mutex::new(AccountState {
                ledger: Ledger::new(grant.budget, Charge::ZERO),
                key,
                open: BTreeMap::new(),
                next: 0,
                is_closed: false,
                spent: StepUsage::default(),
            }),
            settled: Notify::new(),
            grant,
            token,
            client,
        }
    }

    /// Holds the worst case of a request. Where it does not fit as it is, waits for others to give back what
    /// they did not use; then takes what fits.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        bound: RequestBound,
        terms: &Terms,
    ) -> Result<Reservation, UnreservedRequest> {
        let deadline = Instant::now() + terms.wait;
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            let patient = Instant::now() < deadline;
            if let Some(ended) = self.try_reserve(bound, terms.least_output, patient) {
                return ended;
            }
            tokio::select! {
                () = settled => {}
                () = self.closed.cancelled() => return Err(UnreservedRequest::Closed),
                () = tokio::time::sleep_until(deadline) => {}
            }
        }
    }

    /// `None` where waiting may help.
    fn try_reserve(
        self: &Arc<Self>,
        bound: RequestBound,
        least: u64,
        patient: bool,
    ) -> Option<Result<Reservation, UnreservedRequest>> {
        let mut state = self.state();
        if state.is_closed {
            return Some(Err(UnreservedRequest::Closed));
        }
        let left = state.ledger.available(Purpose::Last);
        let fit = bound.fit(left, least);
        if fit != Some(bound.output) && patient && !state.open.is_empty() {
            return None;
        }
        let Some(output) = fit else {
            return Some(Err(UnreservedRequest::Refused(refusal(&bound, least, left))));
        };
        let charge = bound.worst_case(output);
        let id = state.next;
        let AccountState { ledger, key, .. } = &mut *state;
        if let Err(refused) = ledger.reserve(key, id, charge, Purpose::Last) {
            return Some(Err(UnreservedRequest::Refused(refused)));
        }
        state.next += 1;
        state.open.insert(id, charge);
        Some(Ok(Reservation::new(Arc::clone(self), bound, id, output)))
    }

    /// Ends a reservation; one that has ended already stays as it is. No more is charged than there is budget.
    pub(super) fn end(&self, id: u32, fate: RequestEnd) {
        let mut state = self.state();
        let Some(reserved) = state.open.remove(&id) else {
            return;
        };
        let mut note = None;
        let AccountState {
            ledger, key, spent, ..
        } = &mut *state;
        match fate {
            RequestEnd::Free => ledger.release(key, id),
            RequestEnd::Unknown => {
                ledger.forfeit(key, id);
                spent.worst_case = true;
                note = Some((None, reserved.as_upper_bound()));
            }
            RequestEnd::Used(reported, actual) => {
                let room = reserved.plus(ledger.available(Purpose::Last));
                let over = actual.beyond(room);
                let charged = actual.minus(over);
                let _ = ledger.settle(key, id, charged);
                if over != Charge::ZERO {
                    spent.overrun = Some(spent.overrun.unwrap_or_default().plus(over));
                }
                add(&mut spent.usage, &reported);
                note = Some((Some(reported.usage), charged));
            }
        }
        spent.cost = ledger.total_charge();
        drop(state);
        self.settled.notify_waiters();
        if let Some((usage, charge)) = note {
            self.note(NoteKind::Settled {
                request: id,
                usage,
                charge,
            });
        }
    }

    /// Waits until nothing is under way.
    pub(super) async fn idle(&self) {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if self.state().open.is_empty() {
                return;
            }
            settled.await;
        }
    }

    /// Stops all that is under way and lets nothing new begin.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.closed.cancel();
    }

    /// Charges what is still held.
    pub(super) fn forfeit_all(&self) {
        let open: Vec<u32> = self.state().open.keys().copied().collect();
        for id in open {
            self.end(id, RequestEnd::Unknown);
        }
    }

    pub(super) fn set_budget(&self, budget: Limits) {
        self.state().ledger.set_limits(budget);
        self.settled.notify_waiters();
    }

    /// Whether money is limited.
    pub(super) fn has_money_limit(&self) -> bool {
        self.state().ledger.limits().micro_usd.is_some()
    }

    /// Whether tokens are limited.
    pub(super) fn has_token_limit(&self) -> bool {
        self.state().ledger.limits().tokens.is_some()
    }

    pub(super) fn step_usage(&self) -> StepUsage {
        self.state().spent.clone()
    }

    pub(super) fn refuse(&self, why: RefusedWhy, message: &str) {
        let refused = RefusedRequest {
            why,
            message: message.to_owned(),
        };
        let mut state = self.state();
        state.spent.n_refused += 1;
        let n_refused = state.spent.n_refused;
        if why != RefusedWhy::Request {
            state.spent.refused = Some(refused.clone());
        }
        drop(state);
        if n_refused <= TOLD_REFUSALS || n_refused.is_power_of_two() {
            self.note(NoteKind::Refused { refused, n_refused });
        }
    }

    /// Notes that a request goes upstream.
    pub(super) fn sends(&self, bytes: usize) {
        let mut state = self.state();
        state.spent.n_requests += 1;
        state.spent.bytes_sent += bytes as u64;
    }

    /// Notes an answer of upstream.
    pub(super) fn note_answer(&self, status: u16) {
        *self.state().spent.statuses.entry(status).or_default() += 1;
    }

    /// Notes bytes of an answer.
    pub(super) fn note_bytes(&self, bytes: usize) {
        self.state().spent.bytes_received += bytes as u64;
    }

    /// Notes a limit of the provider.
    pub(super) fn note_limit(&self, quota: ProviderQuota) {
        self.state().spent.quota = Some(quota);
        self.note(NoteKind::Limited { quota });
    }

    pub(super) fn note(&self, kind: NoteKind) {
        if let Some(observer) = &self.grant.observer {
            observer.tell(GatewayNote {
                label: self.grant.label.clone(),
                at: Timestamp::now(),
                kind,
            });
        }
    }

    fn state(&self) -> MutexGuard<'_, AccountState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a request ended.
pub(super) enum RequestEnd {
    Free,
    /// Nobody knows: all that was held is charged.
    Unknown,
    /// It used this, which costs that.
    Used(ReportedUsage, Charge),
}

fn add(sum: &mut gemicro_event::Usage, reported: &ReportedUsage) {
    let more = &reported.usage;
    for (total, part) in [
        (&mut sum.input_tokens, more.input_tokens),
        (&mut sum.output_tokens, more.output_tokens),
        (&mut sum.cached_tokens, more.cached_tokens),
        (&mut sum.thought_tokens, more.thought_tokens),
        (&mut sum.tool_tokens, more.tool_tokens),
    ] {
        *total = total.saturating_add(part);
    }
}

/// Which limit the smallest form of a request does not fit into.
fn refusal(bound: &RequestBound, least: u64, left: Charge) -> BudgetRefusal {
    let asked = bound.worst_case(bound.output.min(least));
    let limits = [
        (LimitKind::Turns, asked.turns, left.turns),
        (LimitKind::Tokens, asked.tokens, left.tokens),
        (LimitKind::Money, asked.micro_usd, left.micro_usd),
    ];
    let (limit, asked, left) = limits
        .into_iter()
        .find(|(_, asked, left)| asked > left)
        .unwrap_or(limits[1]);
    BudgetRefusal { limit, asked, left }
}
