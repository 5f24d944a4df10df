//! Sends the progress of a run to a waiting client.
//!
//! Important events are sent at once, text being written at most twice a second, and at least one message every five
//! seconds. Each notification is sent before the next step, so none follows the answer.

use std::time::Duration;

use gemicro_core::live::LiveItem;
use gemicro_event::Event;
use gemicro_event::text::{one_line, plain};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::time::Instant;

/// Minimum interval between two pieces of text.
const TEXT_EVERY: Duration = Duration::from_millis(500);
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Maximum time to send: a client that does not read must not delay the call.
const SEND_WITHIN: Duration = Duration::from_secs(1);
/// Maximum number of characters of text that are shown.
const SHOWN: usize = 160;

/// Sends progress to a client that requested it.
pub(crate) struct ProgressSender {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    n_sent: u32,
    began: Instant,
    last_sent: Instant,
    last_text: Instant,
    /// The end of the text that was not sent yet.
    text: String,
    has_text: bool,
    /// Events up to this one are not sent.
    known_seq: u64,
}

impl ProgressSender {
    /// Sends to the client if it gave a token.
    pub(crate) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        let now = Instant::now();
        Self {
            to: token.map(|token| (peer, token)),
            n_sent: 0,
            began: now,
            last_sent: now,
            last_text: now,
            text: String::new(),
            has_text: false,
            known_seq: 0,
        }
    }

    /// Skips events up to this one.
    pub(crate) fn known_to(&mut self, seq: u64) {
        self.known_seq = seq;
    }

    pub(crate) async fn say(&mut self, message: &str) {
        let Some((peer, token)) = &self.to else {
            return;
        };
        self.n_sent += 1;
        self.last_sent = Instant::now();
        let notification = ProgressNotificationParam::new(token.clone(), f64::from(self.n_sent))
            .with_message(plain(message, usize::MAX));
        if let Ok(Err(_)) = tokio::time::timeout(SEND_WITHIN, peer.notify_progress(notification)).await {
            self.to = None;
        }
    }

    /// Sends an event if it is important.
    pub(crate) async fn event(&mut self, event: &Event) {
        if event.seq > self.known_seq && is_worth_a_line(&event.update.event_type) {
            self.say(&event.update.message).await;
        }
    }

    /// Adds text, to be sent when it is due.
    pub(crate) fn live(&mut self, item: &LiveItem) {
        if self.to.is_none() {
            return;
        }
        self.text.push_str(&item.text);
        let n_letters = self.text.chars().count();
        if n_letters > SHOWN {
            self.text = self.text.chars().skip(n_letters - SHOWN).collect();
        }
        self.has_text = true;
    }

    /// Waits until a message is due.
    pub(crate) async fn due(&self) {
        if self.to.is_none() {
            return std::future::pending().await;
        }
        let heartbeat = self.last_sent + HEARTBEAT;
        let due = if self.has_text {
            heartbeat.min(self.last_text + TEXT_EVERY)
        } else {
            heartbeat
        };
        tokio::time::sleep_until(due).await;
    }

    /// Sends what is due: the text, or that work continues.
    pub(crate) async fn tell(&mut self) {
        if self.has_text {
            self.has_text = false;
            self.last_text = Instant::now();
            let text = one_line(&self.text);
            self.say(&text).await;
        } else {
            let seconds = self.began.elapsed().as_secs();
            self.say(&format!("working, {seconds} s so far")).await;
        }
    }
}

fn is_worth_a_line(event_type: &str) -> bool {
    matches!(
        event_type,
        "run_started"
            | "agent_started"
            | "agent_answered"
            | "step_retrying"
            | "step_alarm"
            | "agent_noise"
            | "run_parked"
            | "run_woken"
            | "run_resumed"
            | "budget_adjusted"
            | "budget_warning"
            | "deadline_passed"
            | "cancel_requested"
            | "sources_read"
            | "decomposition_complete"
            | "sub_query_completed"
            | "sub_query_failed"
            | "source_fetched"
            | "synthesis_started"
    )
}
