//! The limits of a gateway.

use std::sync::Arc;
use std::time::Duration;

use gemicro_core::models::ModelTable;

/// Limits that hold for every connection and request.
#[derive(Debug, Clone)]
pub struct GatewayConfig {
    /// Connections at once on each listener; more wait to be accepted.
    pub connections: usize,
    /// How long the head of a request may take; also how long a connection may rest between two.
    pub head_time: Duration,
    /// The largest body of a request, in bytes.
    pub body_bytes: usize,
    /// How long the body of a request may take.
    pub body_time: Duration,
    /// Bodies of all requests of one ticket that are held at once, in bytes; more wait.
    pub held_bytes: usize,
    /// How long a client may take nothing of what is sent to it.
    pub write_time: Duration,
    /// How long upstream may take to start its answer.
    pub answer_time: Duration,
    /// How long upstream may be silent in the middle of one.
    pub idle_time: Duration,
    /// How long a request waits for others of its step to give back what they reserved and did not use.
    pub reserve_time: Duration,
    /// An output limit is not lowered below this many tokens to make a request fit.
    pub least_output: u64,
    /// Windows, output limits and prices.
    pub models: Arc<ModelTable>,
}

impl Default for GatewayConfig {
    fn default() -> Self {
        Self {
            connections: 128,
            head_time: Duration::from_secs(60),
            body_bytes: 32 << 20,
            body_time: Duration::from_secs(60),
            held_bytes: 64 << 20,
            write_time: Duration::from_secs(60),
            answer_time: Duration::from_secs(600),
            idle_time: Duration::from_secs(300),
            reserve_time: Duration::from_secs(30),
            least_output: 1_024,
            models: Arc::new(ModelTable::embedded().clone()),
        }
    }
}
