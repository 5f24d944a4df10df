//! The lease of a conversation: only one chat at a time may add to it.

use std::time::Duration;

use gemicro_core::history::{CONVERSATION_VERSION, ConversationLog, ConversationStarted, TurnAdded};
use gemicro_core::store::{Append, Lease, NewEvent, NewStream, Store, StoreError, StreamKind, Writer};
use gemicro_event::{AgentUpdate, StreamId, Timestamp};

use super::{Conversation, ConversationError, Conversations};

/// Duration of the lease; in a shared store, a chat that died keeps its conversation for this long.
const TTL: Duration = Duration::from_secs(10);

/// Longest time between two attempts to take the lease of a chat that is gone.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Interval at which the lease is renewed.
pub(crate) const RENEW: Duration = Duration::from_secs(3);

/// A conversation that this chat has open.
pub(crate) struct HeldConversation {
    conversations: Conversations,
    id: StreamId,
    owner: String,
    /// `None` before the first event.
    lease: Option<Lease>,
    seq: u64,
}

impl HeldConversation {
    /// A conversation that is only created when something is written.
    pub(crate) fn fresh(conversations: &Conversations, owner: &str) -> Self {
        Self {
            conversations: conversations.clone(),
            id: StreamId::random(),
            owner: owner.to_owned(),
            lease: None,
            seq: 0,
        }
    }

    /// Takes the lease of an existing conversation. If its holder is gone, takes it from it: at once in SQLite,
    /// in a shared store when it expires.
    ///
    /// # Errors
    /// When another chat has it open, it cannot be read, or the store fails.
    pub(crate) async fn take(
        conversations: &Conversations,
        id: &StreamId,
        owner: &str,
        is_gone: fn(&str) -> bool,
    ) -> Result<(Self, Conversation), ConversationError> {
        // Do not wait for a conversation that cannot be read.
        conversations.load(id).await?;
        let store = conversations.writer();
        let lease = loop {
            match store.take_lease(id, owner, TTL).await {
                Ok(lease) => break lease,
                Err(StoreError::LeaseHeld {
                    owner: holder,
                    expires_at,
                    ..
                }) => {
                    if !is_gone(&holder) {
                        let id = id.clone();
                        return Err(ConversationError::Held { id, holder });
                    }
                    if conversations.store().end_lease_of_dead(id, &holder, expires_at) {
                        continue;
                    }
                    // Try regularly: if a clock was set back, only a new attempt notices that the lease is over.
                    let wait = expires_at.since(Timestamp::now()) + Duration::from_millis(20);
                    tokio::time::sleep(wait.min(LOOK_AGAIN)).await;
                }
                Err(error) => return Err(error.into()),
            }
        };
        let conversation = conversations.load(id).await?;
        let holding = Self {
            conversations: conversations.clone(),
            id: id.clone(),
            owner: owner.to_owned(),
            lease: Some(lease),
            seq: conversation.seq,
        };
        Ok((holding, conversation))
    }

    /// Copies a log to a new conversation that is open here.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn copy(
        conversations: &Conversations,
        owner: &str,
        name: &str,
        from: &StreamId,
        log: &ConversationLog,
    ) -> Result<Self, ConversationError> {
        let now = Timestamp::now();
        let turns = log.turns().iter().map(|turn| {
            let turn = turn.clone();
            AgentUpdate::new(&TurnAdded { turn }, now)
        });
        let mut holding = Self::fresh(conversations, owner);
        holding.begin(name, Some(from.clone()), turns.collect()).await?;
        Ok(holding)
    }

    pub(crate) fn id(&self) -> &StreamId {
        &self.id
    }

    /// Whether nothing has been written yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.lease.is_none()
    }

    /// Creates the conversation with its first events.
    ///
    /// # Errors
    /// When the name is not valid, or the store fails.
    pub(crate) async fn begin(
        &mut self,
        name: &str,
        forked_from: Option<StreamId>,
        facts: Vec<AgentUpdate>,
    ) -> Result<(), ConversationError> {
        let started = ConversationStarted {
            name: self.conversations.clean_name(name)?,
            version: CONVERSATION_VERSION,
            forked_from,
        };
        let first = AgentUpdate::new(&started, Timestamp::now());
        let events: Vec<NewEvent> = std::iter::once(first)
            .chain(facts)
            .map(NewEvent::of_run)
            .collect();
        let n_events = events.len() as u64;
        let new = NewStream {
            stream: self.id.clone(),
            kind: StreamKind::Conversation,
            parent_run: None,
            events,
            lease: Some((self.owner.clone(), TTL)),
            board: Vec::new(),
        };
        let (_, lease) = self.conversations.writer().create(new).await?;
        self.lease = lease;
        self.seq = n_events;
        Ok(())
    }

    /// Adds events, all or none.
    ///
    /// # Errors
    /// When another chat took over, or the store fails.
    pub(crate) async fn write(&mut self, facts: Vec<AgentUpdate>) -> Result<(), ConversationError> {
        let Some(lease) = &self.lease else {
            let (id, what) = (self.id.clone(), "it was never started".to_owned());
            return Err(ConversationError::Damaged { id, what });
        };
        if facts.is_empty() {
            return Ok(());
        }
        let append = Append {
            stream: self.id.clone(),
            writer: Writer::Driver {
                epoch: lease.epoch,
                expected_seq: self.seq,
            },
            events: facts.into_iter().map(NewEvent::of_run).collect(),
            board: Vec::new(),
        };
        let appended = self.conversations.writer().append(append).await?;
        self.seq += appended.events.len() as u64;
        Ok(())
    }

    /// Renews the lease; to be called every [`RENEW`].
    ///
    /// # Errors
    /// When another chat took over, or the store fails.
    pub(crate) async fn renew(&mut self) -> Result<(), ConversationError> {
        if let Some(lease) = &self.lease {
            self.lease = Some(self.conversations.writer().renew_lease(lease, TTL).await?);
        }
        Ok(())
    }

    pub(crate) async fn release(&mut self) {
        if let Some(lease) = self.lease.take() {
            // A lease that cannot be released expires by itself.
            let _ = self.conversations.writer().release_lease(&lease).await;
        }
    }
}
