//! Which events are delivered, how often, and what a killed process loses: nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::store::{NewEvent, NewStream, Store, StreamKind};
use gemicro_event::{AgentUpdate, Json, StreamId, Timestamp};
use gemicro_notify::{Notifier, NotifySettings, QueueFile};
use gemicro_store::DurableStore;
use serde_json::{Value, json};

/// A state folder whose notifications become files.
struct World {
    folder: tempfile::TempDir,
    store: Arc<DurableStore>,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = DurableStore::open(&folder.path().join("home")).await.unwrap();
        Self {
            folder,
            store: Arc::new(store),
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A notifier of a process of its own, whose command is this.
    fn notifier(&self, command: &str) -> Arc<Notifier> {
        let settings = NotifySettings {
            command: Some(command.to_owned()),
            ..NotifySettings::default()
        };
        Arc::new(Notifier::new(self.store.clone(), &self.home(), settings))
    }

    fn received_folder(&self) -> PathBuf {
        self.folder.path().join("received")
    }

    /// A command that writes each event to a file of its own: commands run at the same time.
    fn writes(&self) -> String {
        let folder = self.received_folder();
        std::fs::create_dir_all(&folder).unwrap();
        format!("cat > {0}/.$$ && mv {0}/.$$ {0}/$$", folder.display())
    }

    fn received(&self) -> Vec<Value> {
        let files = std::fs::read_dir(self.received_folder()).unwrap().flatten();
        let files = files.filter(|file| !file.file_name().to_string_lossy().starts_with('.'));
        let mut events: Vec<Value> = files
            .map(|file| serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap())
            .collect();
        events.sort_by_key(|event| event["id"].to_string());
        events
    }

    fn n_pending(&self) -> usize {
        QueueFile::of(&self.home()).read().unwrap().deliveries().len()
    }

    async fn run(&self, id: &str, part_of_parent: bool, events: &[(&str, Value)]) {
        let started = json!({ "flow": "research", "flow_version": 1, "program": "test", "title": format!("title of {id}"),
            "plan": {}, "part_of_parent": part_of_parent });
        let mut all = vec![new_event("run_started", started)];
        all.extend(events.iter().map(|(kind, data)| new_event(kind, data.clone())));
        let new = NewStream {
            stream: StreamId::new(id).unwrap(),
            kind: StreamKind::Run,
            parent_run: part_of_parent.then(|| StreamId::new("parent").unwrap()),
            events: all,
            board: Vec::new(),
            lease: None,
        };
        self.store.create(new).await.unwrap();
    }
}

fn new_event(event_type: &str, data: Value) -> NewEvent {
    NewEvent::of_run(AgentUpdate {
        event_type: event_type.to_owned(),
        message: format!("message of {event_type}"),
        timestamp: Timestamp::now(),
        data: Json::from(data),
    })
}

fn asks() -> (&'static str, Value) {
    (
        "answer_requested",
        json!({ "key": "plan", "tool": "Bash", "what": "make" }),
    )
}

fn parked() -> (&'static str, Value) {
    let data = json!({ "until": "2030-01-01T00:00:00.000Z", "kind": "llm", "reason": "a limit" });
    ("run_parked", data)
}

fn failed() -> (&'static str, Value) {
    let data = json!({ "error": { "kind": "timeout", "message": "too late" } });
    ("run_failed", data)
}

const LIMIT: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn each_notable_event_is_delivered_once() {
    let world = World::new().await;
    world.run("0ld", false, &[failed()]).await;
    let notifier = world.notifier(&world.writes());
    notifier.start().await;
    let warning = ("budget_warning", json!({ "used_percent": 81, "spent": {} }));
    let events = [
        asks(),
        parked(),
        warning,
        ("final_result", json!({ "answer": "secret" })),
    ];
    world.run("aaaa", false, &events).await;
    world.run("bbbb", false, &[failed()]).await;
    world.run("cccc", true, &[asks(), failed()]).await;
    let cancelled = ("run_cancelled", json!({ "reason": "" }));
    world.run("dddd", false, &[cancelled]).await;
    assert_eq!(notifier.flush(LIMIT).await, 0);
    // A second process finds nothing to do.
    let second = world.notifier(&world.writes());
    second.start().await;
    assert_eq!(second.flush(LIMIT).await, 0);
    let received = world.received();
    let shown: Vec<(&str, &str)> = received
        .iter()
        .map(|event| (event["id"].as_str().unwrap(), event["type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            ("aaaa.2", "io.github.gemicro.run.needs_you"),
            ("aaaa.3", "io.github.gemicro.run.parked"),
            ("aaaa.4", "io.github.gemicro.run.budget"),
            ("aaaa.5", "io.github.gemicro.run.finished"),
            ("bbbb.2", "io.github.gemicro.run.failed"),
            ("cccc.2", "io.github.gemicro.run.needs_you"),
        ]
    );
    let time = received[0]["time"].clone();
    assert_eq!(
        received[0],
        json!({
            "specversion": "1.0",
            "id": "aaaa.2",
            "source": "urn:gemicro",
            "type": "io.github.gemicro.run.needs_you",
            "subject": "aaaa",
            "time": time,
            "datacontenttype": "application/json",
            "data": { "kind": "needs_you", "run": "aaaa", "seq": 2, "flow": "research", "title": "title of aaaa",
                "message": "message of answer_requested", "question": "plan", "tool": "Bash", "what": "make",
                "answer_with": "gemicro answer aaaa" },
        })
    );
    assert_eq!(received[4]["data"]["error_kind"], "timeout");
    assert!(
        !received[3].to_string().contains("secret"),
        "the result itself is not sent"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_did_not_deliver_is_delivered_by_the_next() {
    let world = World::new().await;
    let hangs = world.notifier("sleep 60");
    hangs.start().await;
    world.run("aaaa", false, &[failed()]).await;
    // Its attempt is under way when the process ends: the claim stays.
    assert_eq!(hangs.flush(Duration::from_millis(1500)).await, 1);
    drop(hangs);
    // Written after the last look of any process.
    world.run("bbbb", false, &[failed()]).await;
    let next = world.notifier(&world.writes());
    next.start().await;
    for _ in 0..600 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if world.received().len() == 2 && world.n_pending() == 0 {
            break;
        }
    }
    let ids: Vec<Value> = world.received().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, ["aaaa.2", "bbbb.2"]);
    assert_eq!(world.n_pending(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_run_is_not_reported() {
    let world = World::new().await;
    let fails = world.notifier("exit 1");
    fails.start().await;
    world.run("aaaa", false, &[failed()]).await;
    assert_eq!(fails.flush(LIMIT).await, 1);
    drop(fails);
    world.store.erase(&StreamId::new("aaaa").unwrap()).await.unwrap();
    let next = world.notifier(&world.writes());
    next.start().await;
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if world.n_pending() == 0 {
            break;
        }
    }
    assert_eq!((world.n_pending(), world.received().len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_cannot_be_used_harms_nothing() {
    let world = World::new().await;
    let queue = world.home().join("notify/queue.json");
    write_damaged(&queue);
    let notifier = world.notifier(&world.writes());
    notifier.start().await;
    world.run("aaaa", false, &[failed()]).await;
    assert_eq!(notifier.flush(LIMIT).await, 0);
    let error = QueueFile::of(&world.home()).read().unwrap_err().to_string();
    assert!(
        error.contains("is damaged") && error.contains("delete it"),
        "{error}"
    );
}

fn write_damaged(queue: &Path) {
    std::fs::create_dir_all(queue.parent().unwrap()).unwrap();
    std::fs::write(queue, "{").unwrap();
}
