//! Text of running steps while it is written. It never goes through the journal.
//!
//! A [`LiveHub`] keeps the text so far of every running step, up to a limit. A subscriber gets that text and then all
//! new text; a slow one gets larger pieces and never blocks the producer. The final text of a step is in its completion
//! event, so nothing here needs to last.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_event::StepKey;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// Maximum size of the text kept for one step; when older text is dropped, the offset jumps.
const KEPT_BYTES: usize = 256 * 1024;

/// A piece of text of a running step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveItem {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Its attempt; a new attempt starts again at offset 0.
    pub attempt: u32,
    /// Byte offset of this piece in the attempt's text.
    pub offset: u64,
    /// The text, to be appended at `offset`.
    pub text: String,
}

/// The texts of all running steps of a run.
#[derive(Debug, Clone)]
pub struct LiveHub {
    texts: Arc<Mutex<BTreeMap<StepKey, StepText>>>,
    /// Counts changes; subscribers sleep on it.
    changes: Arc<watch::Sender<u64>>,
}

#[derive(Debug, Default)]
struct StepText {
    attempt: u32,
    /// Offset of the first byte that is kept.
    start: u64,
    text: String,
}

impl LiveHub {
    /// A hub without text.
    #[must_use]
    pub fn new() -> Self {
        Self {
            texts: Arc::default(),
            changes: Arc::new(watch::channel(0).0),
        }
    }

    /// The writer for one attempt; the text of earlier attempts is dropped.
    #[must_use]
    pub fn writer(&self, step: &StepKey, attempt: u32) -> LiveText {
        self.texts().insert(
            step.clone(),
            StepText {
                attempt,
                ..StepText::default()
            },
        );
        LiveText {
            hub: self.clone(),
            step: step.clone(),
            attempt,
        }
    }

    /// Forgets a step that ended.
    pub fn remove(&self, step: &StepKey) {
        self.texts().remove(step);
    }

    /// The text so far of every running step, then all new text, until the hub is dropped.
    #[must_use]
    pub fn subscribe(&self) -> BoxStream<'static, LiveItem> {
        let mut changes = self.changes.subscribe();
        let texts = Arc::downgrade(&self.texts);
        let mut seen: BTreeMap<StepKey, (u32, u64)> = BTreeMap::new();
        Box::pin(stream! {
            while let Some(texts) = texts.upgrade() {
                let items = take_unseen(&texts.lock().unwrap_or_else(PoisonError::into_inner), &mut seen);
                // A subscriber that waits does not keep the hub alive.
                drop(texts);
                for item in items {
                    yield item;
                }
                if changes.changed().await.is_err() {
                    break;
                }
            }
        })
    }

    fn texts(&self) -> MutexGuard<'_, BTreeMap<StepKey, StepText>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for LiveHub {
    fn default() -> Self {
        Self::new()
    }
}

/// Collects the text that a subscriber has not seen and marks it as seen.
fn take_unseen(
    texts: &BTreeMap<StepKey, StepText>,
    seen: &mut BTreeMap<StepKey, (u32, u64)>,
) -> Vec<LiveItem> {
    seen.retain(|step, _| texts.contains_key(step));
    let mut items = Vec::new();
    for (step, kept) in texts {
        let place = seen.entry(step.clone()).or_insert((kept.attempt, 0));
        if place.0 != kept.attempt {
            *place = (kept.attempt, 0);
        }
        let from = place.1.max(kept.start);
        let text = &kept.text[usize::try_from(from - kept.start)
            .unwrap_or(usize::MAX)
            .min(kept.text.len())..];
        if !text.is_empty() {
            items.push(LiveItem {
                step: step.clone(),
                attempt: kept.attempt,
                offset: from,
                text: text.to_owned(),
            });
            place.1 = from + text.len() as u64;
        }
    }
    items
}

/// The writer for the text of one attempt.
#[derive(Debug, Clone)]
pub struct LiveText {
    hub: LiveHub,
    step: StepKey,
    attempt: u32,
}

impl LiveText {
    /// Appends text. Never blocks; ignored if a newer attempt has replaced this one.
    pub fn push(&self, text: &str) {
        {
            let mut texts = self.hub.texts();
            let Some(kept) = texts
                .get_mut(&self.step)
                .filter(|kept| kept.attempt == self.attempt)
            else {
                return;
            };
            kept.text.push_str(text);
            if kept.text.len() > KEPT_BYTES {
                let cut = kept.text.ceil_char_boundary(kept.text.len() - KEPT_BYTES / 2);
                kept.text.drain(..cut);
                // One huge piece must not keep its capacity allocated.
                kept.text.shrink_to(KEPT_BYTES);
                kept.start += cut as u64;
            }
        }
        self.hub
            .changes
            .send_modify(|n_changes| *n_changes = n_changes.wrapping_add(1));
    }
}
