//! Searches conversations and runs, the newest first.

use std::collections::HashSet;

use gemicro_batch::types::MemoryPlace;
use gemicro_core::history::{ChatReaders, ConversationReaders, TurnAdded};
use gemicro_core::run::RunRow;
use gemicro_core::store::{Store, StoreError, StreamPage};
use gemicro_event::{Payload, StreamId};
use gemicro_store::{DurableStore, RunFilter, StoredConversation};
use tokio::time::Instant;

use super::{Best, SearchBounds, SearchedEntry};

/// Number of conversation events read at a time.
const PAGE: u64 = 32;
/// Number of runs listed at a time.
const RUN_PAGE: usize = 200;

/// A search through a store, with its remaining limits.
pub(super) struct StoreSearch<'s> {
    store: &'s DurableStore,
    best: &'s mut Best,
    bounds: SearchBounds,
    bytes_left: usize,
    deadline: Instant,
    n_unreadable: usize,
    /// Why not everything was searched.
    notes: Vec<String>,
}

impl<'s> StoreSearch<'s> {
    pub(super) fn new(store: &'s DurableStore, best: &'s mut Best, bounds: SearchBounds) -> Self {
        Self {
            store,
            best,
            bounds,
            bytes_left: bounds.stored_bytes,
            deadline: Instant::now() + bounds.time,
            n_unreadable: 0,
            notes: Vec::new(),
        }
    }

    /// Searches all conversations and runs except `own` and its child runs; returns why it stopped early.
    pub(super) async fn run(mut self, own: &StreamId) -> Result<Vec<String>, StoreError> {
        let most = self.bounds.conversations;
        let mut conversations = self.store.conversations(most.saturating_add(1)).await?;
        if conversations.len() > most {
            conversations.truncate(most);
            self.notes
                .push(format!("only the newest {most} conversations were searched"));
        }
        for conversation in &conversations {
            self.conversation(conversation).await?;
        }
        // A turn of a chat is also a run; it was already found as a turn.
        let mut known: HashSet<StreamId> = conversations.into_iter().map(|it| it.stream).collect();
        known.insert(own.clone());
        self.runs(&known).await?;
        if self.n_unreadable > 0 {
            let note = format!("{} conversations or runs could not be read", self.n_unreadable);
            self.notes.push(note);
        }
        if self.bytes_left == 0 {
            let note = format!(
                "{} bytes of conversations and runs were searched",
                self.bounds.stored_bytes
            );
            self.notes.push(note);
        }
        if Instant::now() >= self.deadline {
            let note = format!("the search ended after {} s", self.bounds.time.as_secs());
            self.notes.push(note);
        }
        Ok(self.notes)
    }

    fn may_continue(&self) -> bool {
        self.bytes_left > 0 && Instant::now() < self.deadline
    }

    /// Reads from the last event backwards, so that the newest turns are always searched.
    async fn conversation(&mut self, conversation: &StoredConversation) -> Result<(), StoreError> {
        if !conversation.types.contains_key(TurnAdded::EVENT_TYPE) {
            return Ok(());
        }
        let mut unseen = conversation
            .types
            .values()
            .map(|(_, last)| *last)
            .max()
            .unwrap_or(0);
        // Turns from this number on were withdrawn later.
        let mut withdrawn = u64::MAX;
        while unseen > 0 && self.may_continue() {
            let after = unseen.saturating_sub(PAGE);
            let limit = usize::try_from(unseen - after).unwrap_or(usize::MAX);
            let Some(page) = self.read(&conversation.stream, after, limit).await? else {
                return Ok(());
            };
            for event in page.events.iter().rev() {
                if let Some(it) = event.update.as_turns_withdrawn() {
                    withdrawn = withdrawn.min(it.from);
                }
                let Some(TurnAdded { turn }) = event.update.as_turn_added() else {
                    continue;
                };
                if turn.number >= withdrawn {
                    continue;
                }
                self.best.look_at(SearchedEntry {
                    place: MemoryPlace::Conversation {
                        conversation_id: conversation.stream.clone(),
                        turn: turn.number,
                    },
                    at: event.update.timestamp,
                    title: turn.author.as_str().to_owned(),
                    text: turn.text,
                });
                tokio::task::yield_now().await;
            }
            unseen = after;
        }
        Ok(())
    }

    async fn runs(&mut self, known: &HashSet<StreamId>) -> Result<(), StoreError> {
        let mut before = None;
        let mut n_left = self.bounds.runs;
        while self.may_continue() {
            let filter = RunFilter {
                limit: Some(RUN_PAGE),
                before,
                ..RunFilter::default()
            };
            let rows = self.store.runs(&filter).await?;
            before = rows.last().map(|row| row.run.clone());
            if before.is_none() {
                break;
            }
            for row in rows {
                let belongs = row
                    .parent_run
                    .as_ref()
                    .is_some_and(|parent| known.contains(parent));
                if !row.status.is_terminal() || belongs || known.contains(&row.run) {
                    continue;
                }
                if n_left == 0 {
                    let note = format!("only the newest {} runs were searched", self.bounds.runs);
                    self.notes.push(note);
                    return Ok(());
                }
                n_left -= 1;
                if !self.may_continue() {
                    break;
                }
                self.one_run(row).await?;
            }
        }
        Ok(())
    }

    /// The request and the answer of a run. An erased run has no readable last event and is skipped.
    async fn one_run(&mut self, row: RunRow) -> Result<(), StoreError> {
        let page = self.read(&row.run, row.n_events.saturating_sub(1), 1).await?;
        let Some(last) = page.and_then(|mut page| page.events.pop()) else {
            return Ok(());
        };
        let answer = last.update.data.get("answer").and_then(|answer| answer.as_str());
        let text = match answer {
            Some(answer) => answer.to_owned(),
            None => row.status.as_str().to_owned(),
        };
        self.best.look_at(SearchedEntry {
            place: MemoryPlace::Run { run_id: row.run },
            at: row.ended_at.unwrap_or(row.updated_at),
            title: row.title,
            text,
        });
        Ok(())
    }

    /// Reads some events; `None` if they were erased in the meantime or are damaged.
    async fn read(
        &mut self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<Option<StreamPage>, StoreError> {
        match self.store.read(stream, after, limit).await {
            Ok(page) => {
                let n_bytes: usize = page
                    .events
                    .iter()
                    .map(|event| event.update.data.text().len())
                    .sum();
                self.bytes_left = self.bytes_left.saturating_sub(n_bytes);
                Ok(Some(page))
            }
            Err(StoreError::Erased { .. } | StoreError::NotFound { .. }) => Ok(None),
            Err(StoreError::Damaged { .. } | StoreError::MissingBlob { .. }) => {
                self.n_unreadable += 1;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
