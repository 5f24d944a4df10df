//! Records exchanges.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gemicro_event::redact::{RedactStream, Redactor};
use tokio::sync::watch;

use crate::call::ModelCall;
use crate::scenario::{RawChunk, RawReply};

/// Maximum total size of recorded responses.
const BYTES: usize = 256 << 20;
/// Response headers that are recorded.
const HEADERS: &[&str] = &[
    "content-type",
    "retry-after",
    "x-goog-request-id",
    "x-request-id",
    "request-id",
];

/// One request and its response, without the key.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub(crate) call: ModelCall,
    /// The response, with timing.
    pub response: RawReply,
}

/// The exchanges so far, in the order in which they began.
#[derive(Debug)]
pub(super) struct Tapes {
    kept: Mutex<TapeContents>,
    /// Number of ended exchanges, including those that did not fit.
    n_ended: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct TapeContents {
    exchanges: BTreeMap<u64, Exchange>,
    n_begun: u64,
    n_bytes: usize,
    n_dropped: u64,
}

impl Tapes {
    pub(super) fn new() -> Self {
        Self {
            kept: Mutex::new(TapeContents::default()),
            n_ended: watch::Sender::new(0),
        }
    }

    /// Waits until more than `n_known` exchanges have ended, and returns their number.
    pub(super) async fn ended_beyond(&self, n_known: usize) -> usize {
        let mut changes = self.n_ended.subscribe();
        let found = changes.wait_for(|n_ended| *n_ended > n_known).await;
        // The sender lives as long as `self`.
        found.map_or(n_known, |n_ended| *n_ended)
    }

    /// Returns the finished exchanges, and the number of those that did not fit.
    pub(super) fn take_finished(&self) -> (Vec<Exchange>, u64) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (kept.exchanges.values().cloned().collect(), kept.n_dropped)
    }

    pub(super) fn begin(
        self: &Arc<Self>,
        mut call: ModelCall,
        secrets: &[&str],
        status: u16,
        headers: &[(String, String)],
    ) -> Tape {
        let redactor = Redactor::new(secrets);
        call.prompt = redactor.redact(&call.prompt).into_owned();
        let headers = headers
            .iter()
            .filter(|(name, _)| HEADERS.contains(&name.to_ascii_lowercase().as_str()))
            .map(|(name, value)| (name.to_ascii_lowercase(), redactor.redact(value).into_owned()));
        let response = RawReply {
            status,
            headers: headers.collect(),
            chunks: Vec::new(),
            broken: true,
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.n_begun += 1;
        Tape {
            tapes: Arc::clone(self),
            number: kept.n_begun,
            exchange: Some(Exchange { call, response }),
            redact: Some(redactor.stream()),
            half: Vec::new(),
            last_at: Instant::now(),
        }
    }
}

/// Records one response. If dropped before its end, the body is recorded as broken off.
pub(super) struct Tape {
    tapes: Arc<Tapes>,
    number: u64,
    exchange: Option<Exchange>,
    redact: Option<RedactStream>,
    /// The start of a character whose rest has not arrived.
    half: Vec<u8>,
    last_at: Instant,
}

impl Tape {
    pub(super) fn piece(&mut self, bytes: &[u8]) {
        self.half.extend_from_slice(bytes);
        let n_whole = match std::str::from_utf8(&self.half) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.half.len(),
        };
        let rest = self.half.split_off(n_whole);
        let whole = std::mem::replace(&mut self.half, rest);
        let text = match &mut self.redact {
            Some(redact) => redact.push(&String::from_utf8_lossy(&whole)),
            None => String::new(),
        };
        self.chunk(text);
    }

    /// The body is complete.
    pub(super) fn finish(mut self) {
        if let Some(exchange) = &mut self.exchange {
            exchange.response.broken = false;
        }
    }

    fn chunk(&mut self, text: String) {
        let now = Instant::now();
        if let (false, Some(exchange)) = (text.is_empty(), &mut self.exchange) {
            let after_ms = u64::try_from((now - self.last_at).as_millis()).unwrap_or(u64::MAX);
            exchange.response.chunks.push(RawChunk { after_ms, text });
            self.last_at = now;
        }
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        if let Some(redact) = self.redact.take() {
            self.chunk(redact.finish());
        }
        let Some(exchange) = self.exchange.take() else {
            return;
        };
        let n_bytes: usize = exchange
            .response
            .chunks
            .iter()
            .map(|chunk| chunk.text.len())
            .sum();
        let mut kept = self.tapes.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.n_bytes + n_bytes > BYTES {
            kept.n_dropped += 1;
        } else {
            kept.n_bytes += n_bytes;
            kept.exchanges.insert(self.number, exchange);
        }
        drop(kept);
        self.tapes.n_ended.send_modify(|n_ended| *n_ended += 1);
    }
}
