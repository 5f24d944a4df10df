//! Searches through a real store and a real folder.

use std::path::Path;
use std::time::Duration;

use gemicro_core::history::{
    Author, CONVERSATION_VERSION, ConversationLog, ConversationStarted, Turn, TurnAdded, TurnsWithdrawn,
};
use gemicro_core::store::{Append, NewEvent, NewStream, Store, StreamKind, Writer};
use gemicro_event::{AgentUpdate, Json, Payload, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// A store, a folder with a memory, and a search through both.
struct Place {
    folder: TempDir,
    search: MemorySearch,
    own: StreamId,
}

impl Place {
    async fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let store = DurableStore::open(&folder.path().join("home"))
            .await
            .expect("opens");
        Self {
            search: MemorySearch::new(Arc::new(store), Redactor::new(["hunter2-hunter2"])),
            own: StreamId::new("own").expect("an id"),
            folder,
        }
    }

    fn store(&self) -> &DurableStore {
        &self.search.store
    }

    fn remember(&self, text: &str) {
        let path = self.folder.path().join(gemicro_memory::FILE);
        std::fs::write(&path, text).expect("written");
        // Older than everything that the tests store.
        let file = std::fs::File::options().write(true).open(path).expect("opened");
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1))
            .expect("set");
    }

    async fn conversation(&self, turns: &[&str]) -> StreamId {
        let mut log = ConversationLog::new();
        for text in turns {
            log.append(Turn::new(Author::User, *text));
        }
        let started = ConversationStarted {
            name: "talk".to_owned(),
            version: CONVERSATION_VERSION,
            forked_from: None,
        };
        let now = Timestamp::now();
        let turns = log.turns().iter().map(|turn| {
            let turn = turn.clone();
            AgentUpdate::new(&TurnAdded { turn }, now)
        });
        let updates = std::iter::once(AgentUpdate::new(&started, now)).chain(turns);
        let id = StreamId::random();
        let new = NewStream {
            stream: id.clone(),
            kind: StreamKind::Conversation,
            parent_run: None,
            events: updates.map(NewEvent::of_run).collect(),
            lease: None,
            board: Vec::new(),
        };
        self.store().create(new).await.expect("stored");
        id
    }

    async fn add<P: Payload>(&self, stream: &StreamId, payload: &P) {
        let append = Append {
            stream: stream.clone(),
            writer: Writer::Outside,
            events: vec![NewEvent::of_run(AgentUpdate::new(payload, Timestamp::now()))],
            board: Vec::new(),
        };
        self.store().append(append).await.expect("appended");
    }

    async fn run(&self, id: &str, parent: Option<&StreamId>, title: &str, end: (&str, Value)) -> StreamId {
        let started = json!({ "flow": "research", "flow_version": 1, "program": "test", "title": title, "plan": {},
                              "limits": {} });
        let stream = StreamId::new(id).expect("an id");
        let events = [("run_started", started), end].map(|(event_type, data)| {
            NewEvent::of_run(AgentUpdate {
                event_type: event_type.to_owned(),
                message: String::new(),
                timestamp: Timestamp::now(),
                data: Json::from(data),
            })
        });
        let new = NewStream {
            stream: stream.clone(),
            kind: StreamKind::Run,
            parent_run: parent.cloned(),
            events: events.into(),
            lease: None,
            board: Vec::new(),
        };
        self.store().create(new).await.expect("made");
        stream
    }

    async fn completed(&self, id: &str, title: &str, answer: &str) -> StreamId {
        self.run(id, None, title, ("final_result", json!({ "answer": answer })))
            .await
    }

    async fn found(&self, keywords: &[&str]) -> MemoryOutput {
        let input = MemoryInput {
            keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
            limit: 20,
            directory: self.folder.path().display().to_string(),
        };
        self.search.search(input, &self.own).await.expect("searched")
    }

    /// The excerpts, in the order they are told.
    async fn excerpts(&self, keywords: &[&str]) -> Vec<String> {
        let summary = self.found(keywords).await.memory_summary;
        let lines = summary.lines().filter_map(|line| line.strip_prefix("   "));
        lines.map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn all_three_places_are_searched() {
    let place = Place::new().await;
    place.remember("# Loop\n- observe with hunter2-hunter2\n- decide\n");
    let talk = place.conversation(&["hello", "the ooda LOOP"]).await;
    place.completed("r1", "What is the loop?", "Four phases").await;
    let output = place.found(&["loop", "ooda"]).await;
    let sources = serde_json::to_value(&output.sources).expect("JSON");
    let places: Vec<Value> = sources
        .as_array()
        .expect("a list")
        .iter()
        .map(|source| {
            let mut source = source.as_object().expect("an object").clone();
            source.remove("at").expect("a time");
            Value::from(source)
        })
        .collect();
    assert_eq!(
        places,
        [
            json!({ "kind": "conversation", "conversation_id": talk, "turn": 2, "keywords": ["loop", "ooda"] }),
            json!({ "kind": "run", "run_id": "r1", "keywords": ["loop"] }),
            json!({ "kind": "file", "path": "AGENT_MEMORY.md", "line": 3, "keywords": ["loop"] }),
            json!({ "kind": "file", "path": "AGENT_MEMORY.md", "line": 2, "keywords": ["loop"] }),
        ]
    );
    let text = output.memory_summary;
    assert!(text.contains("What is the loop?\n   Four phases\n"), "{text}");
    assert!(
        text.contains("line 2 (1970-01-01T00:00:01.000Z): Loop\n   - observe with ***\n"),
        "{text}"
    );
    assert!(!text.contains("Not all"), "{text}");
}

#[tokio::test]
async fn what_is_erased_open_or_our_own_is_not_reported() {
    let place = Place::new().await;
    let talk = place.conversation(&["kept"]).await;
    let deleted = place.conversation(&["deleted"]).await;
    place.store().erase(&deleted).await.expect("erased");
    let erased = place.completed("erased1", "gone", "gone").await;
    place.store().erase(&erased).await.expect("erased");
    place.completed("own", "our own", "ours").await;
    let own = place.own.clone();
    let answer = |text| ("final_result", json!({ "answer": text }));
    place
        .run("child", Some(&own), "a part of us", answer("part"))
        .await;
    place
        .run("turn", Some(&talk), "kept", answer("told as a turn"))
        .await;
    place.run("open", None, "still open", ("noted", json!({}))).await;
    let other = place.run("other", None, "a batch", answer("7 of 9")).await;
    place.run("part", Some(&other), "its part", answer("found")).await;
    place
        .run(
            "failed",
            None,
            "in vain",
            (
                "run_failed",
                json!({ "error": { "kind": "timeout", "message": "late" } }),
            ),
        )
        .await;
    let mut excerpts = place.excerpts(&[]).await;
    excerpts.sort();
    assert_eq!(excerpts, ["7 of 9", "failed", "found", "kept"]);
}

#[tokio::test]
async fn turns_that_were_taken_back_are_not_reported() {
    let place = Place::new().await;
    let turns: Vec<String> = (1..=100).map(|n| format!("moon {n}")).collect();
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let talk = place.conversation(&turns).await;
    place.add(&talk, &TurnsWithdrawn { from: 3 }).await;
    let again = Turn {
        number: 3,
        ..Turn::new(Author::Assistant, "moon again")
    };
    place.add(&talk, &TurnAdded { turn: again }).await;
    let mut excerpts = place.excerpts(&["moon"]).await;
    excerpts.sort();
    assert_eq!(excerpts, ["moon 1", "moon 2", "moon again"]);
}

#[tokio::test]
async fn it_stops_at_its_bounds_and_says_so() {
    let mut place = Place::new().await;
    for n in 0..3 {
        place.conversation(&[&format!("talk {n}")]).await;
        place
            .completed(&format!("r{n}"), "run", &format!("run {n}"))
            .await;
    }
    let usual = place.search.bounds;
    let no_time = SearchBounds {
        time: Duration::ZERO,
        ..usual
    };
    let few = SearchBounds {
        conversations: 1,
        runs: 2,
        ..usual
    };
    let few_bytes = SearchBounds {
        stored_bytes: 1,
        ..usual
    };
    for (bounds, expected, note) in [
        (no_time, &[][..], "the search ended after 0 s."),
        (
            few,
            &["run 1", "run 2", "talk 2"],
            "only the newest 1 conversations were searched; only the newest 2 runs were searched.",
        ),
        (
            few_bytes,
            &["talk 2"],
            "1 bytes of conversations and runs were searched.",
        ),
    ] {
        place.search.bounds = bounds;
        let mut excerpts = place.excerpts(&[]).await;
        excerpts.sort();
        assert_eq!(excerpts, expected, "{note}");
        let text = place.found(&[]).await.memory_summary;
        assert!(text.ends_with(&format!("Incomplete: {note}\n")), "{text}");
    }
}

#[tokio::test]
async fn a_folder_that_is_gone_is_no_memory() {
    let place = Place::new().await;
    let input = MemoryInput {
        keywords: Vec::new(),
        limit: 1,
        directory: Path::new("/no/such/folder").display().to_string(),
    };
    let output = place.search.search(input, &place.own).await.expect("searched");
    assert_eq!(output.memory_summary, "Nothing is remembered.\n");
}
