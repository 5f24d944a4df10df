//! Conversations in a real store: what newer programs wrote is refused, what is there stays.

use std::sync::Arc;

use gemicro_chat::{ConversationError, Conversations};
use gemicro_core::history::{
    Author, CONVERSATION_VERSION, ConversationLog, ConversationStarted, Turn, TurnAdded,
};
use gemicro_core::store::{Append, NewEvent, NewStream, Store, StreamKind, Writer};
use gemicro_event::{AgentUpdate, Json, Payload, StreamId, Timestamp};
use gemicro_store::SqliteStore;

struct Place {
    _folder: tempfile::TempDir,
    conversations: Conversations,
}

impl Place {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = SqliteStore::open(&folder.path().join("home"))
            .await
            .expect("opens");
        Self {
            _folder: folder,
            conversations: Conversations::new(Arc::new(store), &["hunter2-hunter2".to_owned()]),
        }
    }

    /// A conversation of one turn.
    async fn conversation(&self) -> StreamId {
        let imported = self.conversations.import("talk", &log(1)).await;
        imported.expect("stored").id
    }

    async fn append(&self, id: &StreamId, update: AgentUpdate) {
        let append = Append {
            stream: id.clone(),
            writer: Writer::Outside,
            events: vec![NewEvent::of_run(update)],
            board: Vec::new(),
        };
        self.conversations.store().append(append).await.expect("appended");
    }
}

fn log(n_turns: usize) -> ConversationLog {
    let mut log = ConversationLog::new();
    for idx in 0..n_turns {
        log.append(Turn::new(Author::User, format!("message {idx}")));
    }
    log
}

fn at<P: Payload>(payload: &P) -> AgentUpdate {
    AgentUpdate::new(payload, Timestamp::now())
}

#[tokio::test]
async fn many_pages_come_back_in_order() {
    let place = Place::new().await;
    let log = log(1_300);
    let imported = place.conversations.import("long", &log).await.expect("stored");
    place
        .conversations
        .rename(&imported.id, "longer")
        .await
        .expect("renamed");
    let loaded = place.conversations.load(&imported.id).await.expect("loaded");
    assert_eq!((loaded.log, loaded.name.as_str()), (log, "longer"));
}

#[tokio::test]
async fn an_event_of_a_newer_program_is_refused() {
    let place = Place::new().await;
    let id = place.conversation().await;
    let update = AgentUpdate {
        event_type: "turn_retracted".to_owned(),
        message: "Turn 1 was taken back".to_owned(),
        timestamp: Timestamp::now(),
        data: Json::empty(),
    };
    place.append(&id, update).await;
    let error = place.conversations.load(&id).await.expect_err("refused");
    assert_eq!(
        error.to_string(),
        format!("conversation {id} was written by a newer gemicro: event 3 is of the kind turn_retracted")
    );
    let rows = place.conversations.list(9).await.expect("listed");
    assert!(!rows[0].readable, "{rows:?}");
}

#[tokio::test]
async fn a_newer_version_is_refused() {
    let place = Place::new().await;
    let started = ConversationStarted {
        forked_from: None,
        name: "from the future".to_owned(),
        version: CONVERSATION_VERSION + 1,
    };
    let new = NewStream {
        stream: StreamId::random(),
        kind: StreamKind::Conversation,
        parent_run: None,
        events: vec![NewEvent::of_run(at(&started))],
        lease: None,
        board: Vec::new(),
    };
    let id = new.stream.clone();
    place.conversations.store().create(new).await.expect("created");
    let error = place.conversations.load(&id).await.expect_err("refused");
    assert!(matches!(error, ConversationError::Newer { .. }), "{error}");
    let rows = place.conversations.list(9).await.expect("listed");
    assert_eq!(
        (rows[0].name.as_str(), rows[0].readable),
        ("from the future", false)
    );
}

#[tokio::test]
async fn turns_that_do_not_follow_are_damage() {
    let place = Place::new().await;
    let id = place.conversation().await;
    let mut turn = Turn::new(Author::User, "again");
    turn.number = 1;
    place.append(&id, at(&TurnAdded { turn })).await;
    let error = place.conversations.load(&id).await.expect_err("refused");
    assert!(matches!(error, ConversationError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn secrets_are_replaced_also_inside_calls() {
    let place = Place::new().await;
    let mut log = ConversationLog::new();
    let mut turn = Turn::new(Author::Assistant, "it is\nhunter2-hunter2");
    turn.calls.push(gemicro_core::history::ToolCall {
        id: "c".to_owned(),
        name: "login".to_owned(),
        args: serde_json::json!({ "with": ["hunter2-hunter2"] }),
        open: true,
    });
    log.append(turn);
    let imported = place.conversations.import("talk", &log).await.expect("stored");
    assert_eq!(imported.n_redacted, 1);
    let loaded = place.conversations.load(&imported.id).await.expect("loaded");
    let text = serde_json::to_string(&loaded.log).expect("JSON");
    assert!(
        !text.contains("hunter2-hunter2") && text.contains("it is"),
        "{text}"
    );
}
