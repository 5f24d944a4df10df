//! Operations on the conversations of a store.

use std::borrow::Cow;
use std::sync::Arc;

use gemicro_core::history::{
    CONVERSATION_VERSION, ConversationLog, ConversationReaders, ConversationRenamed, ConversationStarted,
    SummaryCache, SummaryMade, SummaryRefusal, Turn, TurnAdded, TurnsWithdrawn,
};
use gemicro_core::store::{Append, NewEvent, NewStream, Store, StreamKind, Writer};
use gemicro_event::redact::Redactor;
use gemicro_event::{AgentUpdate, Charge, Event, Payload, StreamId, Timestamp};
use gemicro_store::{DurableStore, StoredConversation};
use schemars::JsonSchema;
use serde::Serialize;

use super::fold::{check_started, is_known};
use super::redact::clean_turn;
use super::{Conversation, ConversationError, MAX_NAME_CHARS};

/// Number of events read at a time.
const PAGE: usize = 512;

/// The conversations of one store. Secrets are redacted before they are written.
#[derive(Clone)]
pub struct Conversations {
    store: Arc<DurableStore>,
    redactor: Redactor,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedConversation {
    /// The id of the new conversation.
    pub id: StreamId,
    /// How many turns were imported.
    pub n_turns: u64,
    /// Number of turns in which a secret was replaced.
    pub n_redacted: usize,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConversationRow {
    /// The id of the conversation.
    pub id: StreamId,
    /// Its name for people.
    pub name: String,
    /// Number of turns.
    pub turns: u64,
    /// When it began or was imported.
    pub started_at: Timestamp,
    /// When it was last changed or renamed.
    pub updated_at: Timestamp,
    /// Whether this program can read it; false if a newer one wrote it.
    pub readable: bool,
}

impl Conversations {
    /// The conversations of this store; `secrets`, and everything that looks like a secret, are never written.
    #[must_use]
    pub fn new(store: Arc<DurableStore>, secrets: &[String]) -> Self {
        Self {
            store,
            redactor: Redactor::new(secrets),
        }
    }

    /// The store that holds the conversations.
    #[must_use]
    pub fn store(&self) -> &DurableStore {
        &self.store
    }

    /// Stores a log as a new conversation, in one transaction.
    ///
    /// # Errors
    /// When there are no turns, the name is not valid, or the store fails.
    pub async fn import(
        &self,
        name: &str,
        log: &ConversationLog,
    ) -> Result<ImportedConversation, ConversationError> {
        if log.is_empty() {
            return Err(ConversationError::Empty);
        }
        let now = Timestamp::now();
        let started = ConversationStarted {
            name: self.clean_name(name)?,
            version: CONVERSATION_VERSION,
            forked_from: None,
        };
        let mut events = vec![NewEvent::of_run(AgentUpdate::new(&started, now))];
        let mut n_redacted = 0;
        for turn in log.turns() {
            let clean = clean_turn(&self.redactor, turn);
            n_redacted += usize::from(matches!(clean, Cow::Owned(_)));
            let added = TurnAdded {
                turn: clean.into_owned(),
            };
            let update = AgentUpdate::new(&added, now);
            // A deeply nested argument can be written but not read back, so refuse it now.
            if let Err(error) = update.try_as_turn_added() {
                return Err(ConversationError::BadTurn {
                    turn: turn.number,
                    reason: error.to_string(),
                });
            }
            events.push(NewEvent::of_run(update));
        }
        let id = StreamId::random();
        let new = NewStream {
            stream: id.clone(),
            kind: StreamKind::Conversation,
            parent_run: None,
            events,
            lease: None,
            board: Vec::new(),
        };
        self.store.create(new).await?;
        Ok(ImportedConversation {
            id,
            n_turns: log.len(),
            n_redacted,
        })
    }

    /// The conversation with this id, or the only one with this id prefix.
    ///
    /// # Errors
    /// When none or several match.
    pub async fn find(&self, prefix: &str) -> Result<StreamId, ConversationError> {
        Ok(self.store.find_conversation(prefix).await?)
    }

    /// A conversation with all its turns.
    ///
    /// # Errors
    /// When it does not exist, was deleted, or was written by a newer program.
    pub async fn load(&self, id: &StreamId) -> Result<Conversation, ConversationError> {
        let mut loaded: Option<Conversation> = None;
        let mut after = 0;
        loop {
            let page = self.store.read(id, after, PAGE).await?;
            for event in &page.events {
                after = event.seq;
                match &mut loaded {
                    None => loaded = Some(Conversation::begin(event)?),
                    Some(conversation) => conversation.add(event)?,
                }
            }
            if page.events.is_empty() || after >= page.last_seq {
                break;
            }
        }
        loaded.ok_or_else(|| ConversationError::Damaged {
            id: id.clone(),
            what: "it has no events".to_owned(),
        })
    }

    /// At most `limit` conversations, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self, limit: usize) -> Result<Vec<ConversationRow>, ConversationError> {
        let mut rows = Vec::new();
        for stored in self.store.conversations(limit).await? {
            rows.push(self.row(&stored).await?);
        }
        Ok(rows)
    }

    /// Renames a conversation.
    ///
    /// # Errors
    /// When the name is not valid, or the conversation does not exist.
    pub async fn rename(&self, id: &StreamId, name: &str) -> Result<(), ConversationError> {
        let renamed = ConversationRenamed {
            name: self.clean_name(name)?,
        };
        let append = Append {
            stream: id.clone(),
            writer: Writer::Outside,
            events: vec![NewEvent::of_run(AgentUpdate::new(&renamed, Timestamp::now()))],
            board: Vec::new(),
        };
        self.store.append(append).await?;
        Ok(())
    }

    /// Stores new summaries of a conversation, because they were paid for.
    ///
    /// # Errors
    /// When a chat has the conversation open, or it does not exist.
    pub async fn keep_summaries(
        &self,
        conversation: &Conversation,
        summaries: &SummaryCache,
    ) -> Result<(), ConversationError> {
        let known = &conversation.held.summaries;
        // If the model could not be called, it may be called again.
        let is_final =
            |answer: &Result<_, SummaryRefusal>| !matches!(answer, Err(SummaryRefusal::Failed { .. }));
        let new = summaries
            .iter()
            .filter(|(hash, answer)| known.get(hash).is_none() && is_final(answer));
        let events: Vec<NewEvent> = new
            .map(|(hash, answer)| {
                let made = SummaryMade {
                    hash: hash.clone(),
                    text: answer.as_ref().ok().cloned(),
                    refusal: answer.as_ref().err().cloned(),
                    charge: Charge::ZERO,
                };
                NewEvent::of_run(AgentUpdate::new(&made, Timestamp::now()))
            })
            .collect();
        if events.is_empty() {
            return Ok(());
        }
        let append = Append {
            stream: conversation.id.clone(),
            writer: Writer::Outside,
            events,
            board: Vec::new(),
        };
        self.store.append(append).await?;
        Ok(())
    }

    /// Deletes a conversation and its contents; a tombstone stays. Deleting twice is harmless.
    ///
    /// # Errors
    /// When it does not exist, or the store fails.
    pub async fn delete(&self, id: &StreamId) -> Result<(), ConversationError> {
        self.store.erase(id).await?;
        Ok(())
    }

    async fn row(&self, stored: &StoredConversation) -> Result<ConversationRow, ConversationError> {
        let id = &stored.stream;
        let first = self.event(id, 1).await?;
        let started = first
            .as_ref()
            .and_then(|event| event.update.as_conversation_started());
        let last_name = match stored.types.get(ConversationRenamed::EVENT_TYPE) {
            Some((_, seq)) => self.event(id, *seq).await?,
            None => None,
        };
        let renamed = last_name.and_then(|event| event.update.as_conversation_renamed());
        let n_turns = if stored.types.contains_key(TurnsWithdrawn::EVENT_TYPE) {
            self.load(id).await.map_or(0, |loaded| loaded.log.len())
        } else {
            stored.types.get(TurnAdded::EVENT_TYPE).map_or(0, |(n, _)| *n)
        };
        let is_readable = stored.types.keys().all(|event_type| is_known(event_type))
            && started
                .as_ref()
                .is_some_and(|started| check_started(id, started).is_ok());
        Ok(ConversationRow {
            id: id.clone(),
            name: renamed
                .map(|it| it.name)
                .or(started.map(|it| it.name))
                .unwrap_or_default(),
            turns: n_turns,
            started_at: first.map_or(stored.updated_at, |event| event.update.timestamp),
            updated_at: stored.updated_at,
            readable: is_readable,
        })
    }

    async fn event(&self, id: &StreamId, seq: u64) -> Result<Option<Event>, ConversationError> {
        let page = self.store.read(id, seq.saturating_sub(1), 1).await?;
        Ok(page.events.into_iter().next())
    }

    /// The store that the events of a conversation are written to.
    pub(super) fn writer(&self) -> &Arc<DurableStore> {
        &self.store
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// A turn without secrets.
    pub(crate) fn clean(&self, turn: &Turn) -> Turn {
        clean_turn(&self.redactor, turn).into_owned()
    }

    pub(super) fn clean_name(&self, name: &str) -> Result<String, ConversationError> {
        let name = name.trim();
        let n_chars = name.chars().count();
        if !(1..=MAX_NAME_CHARS).contains(&n_chars) || name.chars().any(char::is_control) {
            return Err(ConversationError::BadName);
        }
        Ok(self.redactor.redact(name).into_owned())
    }
}
