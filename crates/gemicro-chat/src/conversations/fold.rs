//! Builds a conversation from its events.

use gemicro_core::history::{
    CONVERSATION_VERSION, ConversationCompacted, ConversationLog, ConversationRenamed, ConversationStarted,
    ReplyCut, SummaryAsked, SummaryMade, TransportSwitched, TurnAdded, TurnAnswered, TurnAsked, TurnFailed,
    TurnsWithdrawn,
};
use gemicro_event::{Event, Payload, PayloadReadError, SCHEMA_VERSION, StreamId, Timestamp};

use super::ConversationError;
use super::held::ChatState;

/// The current state of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// Its id.
    pub id: StreamId,
    /// Its name for people.
    pub name: String,
    /// When it began or was imported.
    pub started_at: Timestamp,
    /// Its turns.
    pub log: ConversationLog,
    /// The state that chats left.
    pub held: ChatState,
    /// Sequence number of its last event.
    pub seq: u64,
}

impl Conversation {
    /// The conversation before its first turn. Readers of runs skip unknown events; here a skipped event would be a
    /// forgotten part of the conversation, so it is refused.
    ///
    /// # Errors
    /// When the event is from a newer program, or is not the first of a conversation.
    pub(crate) fn begin(first: &Event) -> Result<Self, ConversationError> {
        check_version(first)?;
        let started: ConversationStarted = payload(first)?;
        check_started(&first.stream, &started)?;
        Ok(Self {
            id: first.stream.clone(),
            name: started.name,
            started_at: first.update.timestamp,
            log: ConversationLog::new(),
            held: ChatState::default(),
            seq: first.seq,
        })
    }

    /// Applies an event.
    ///
    /// # Errors
    /// When it is from a newer program, or is out of order.
    pub(crate) fn add(&mut self, event: &Event) -> Result<(), ConversationError> {
        check_version(event)?;
        self.seq = event.seq;
        match event.update.event_type.as_str() {
            TurnAdded::EVENT_TYPE => {
                let added: TurnAdded = payload(event)?;
                let (found, expected) = (added.turn.number, self.log.len() + 1);
                if found != expected {
                    return Err(damage_error(
                        event,
                        format!("expected turn {expected}, found turn {found}"),
                    ));
                }
                self.log.append(added.turn);
            }
            ConversationRenamed::EVENT_TYPE => self.name = payload::<ConversationRenamed>(event)?.name,
            TurnAsked::EVENT_TYPE => self.held.apply_asked(payload(event)?),
            TurnAnswered::EVENT_TYPE => self.held.apply_answered(payload(event)?, self.log.len()),
            TurnFailed::EVENT_TYPE => self.held.apply_failed(&payload(event)?),
            TransportSwitched::EVENT_TYPE | ReplyCut::EVENT_TYPE => {}
            TurnsWithdrawn::EVENT_TYPE => {
                let from = payload::<TurnsWithdrawn>(event)?.from;
                self.log = self.log.cut_after(from.saturating_sub(1));
                self.held.withdrawn(from);
            }
            ConversationCompacted::EVENT_TYPE => self.held.apply_compacted(payload(event)?),
            SummaryAsked::EVENT_TYPE => self.held.summary_asked(payload(event)?),
            SummaryMade::EVENT_TYPE => self.held.summary_made(payload(event)?),
            ConversationStarted::EVENT_TYPE => return Err(damage_error(event, "it begins twice".to_owned())),
            unknown => {
                return Err(ConversationError::Newer {
                    id: event.stream.clone(),
                    what: format!("event {} is of the kind {unknown}", event.seq),
                });
            }
        }
        Ok(())
    }
}

/// Checks that this program can read a conversation of this version.
pub(super) fn check_started(id: &StreamId, started: &ConversationStarted) -> Result<(), ConversationError> {
    if started.version <= CONVERSATION_VERSION {
        return Ok(());
    }
    Err(ConversationError::Newer {
        id: id.clone(),
        what: format!(
            "it has version {}, but this version of gemicro supports only up to {CONVERSATION_VERSION}",
            started.version
        ),
    })
}

/// Whether an event type belongs to conversations.
pub(super) fn is_known(event_type: &str) -> bool {
    [
        ConversationStarted::EVENT_TYPE,
        TurnAdded::EVENT_TYPE,
        ConversationRenamed::EVENT_TYPE,
        TurnAsked::EVENT_TYPE,
        TurnAnswered::EVENT_TYPE,
        TurnFailed::EVENT_TYPE,
        TransportSwitched::EVENT_TYPE,
        ReplyCut::EVENT_TYPE,
        TurnsWithdrawn::EVENT_TYPE,
        ConversationCompacted::EVENT_TYPE,
        SummaryAsked::EVENT_TYPE,
        SummaryMade::EVENT_TYPE,
    ]
    .contains(&event_type)
}

fn check_version(event: &Event) -> Result<(), ConversationError> {
    if event.schema_version <= SCHEMA_VERSION {
        return Ok(());
    }
    Err(ConversationError::Newer {
        id: event.stream.clone(),
        what: format!(
            "event {} has schema version {}, but this version of gemicro supports only up to {SCHEMA_VERSION}",
            event.seq, event.schema_version
        ),
    })
}

fn payload<P: Payload>(event: &Event) -> Result<P, ConversationError> {
    let read: Result<P, PayloadReadError> = event.update.try_as_payload();
    read.map_err(|error| damage_error(event, error.to_string()))
}

fn damage_error(event: &Event, what: String) -> ConversationError {
    ConversationError::Damaged {
        id: event.stream.clone(),
        what: format!("event {}: {what}", event.seq),
    }
}
