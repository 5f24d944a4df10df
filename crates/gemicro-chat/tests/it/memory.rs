//! Tasks of type `get_memory_summary`, handed in as anybody does, on both engines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_chat::Conversations;
use gemicro_core::history::{Author, ConversationLog, Turn};
use gemicro_core::llm::LlmConfig;
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_engine::{
    BatchAnswer, BatchRequest, BatchSettings, BatchStatus, Batches, BoardPage, Engine, EngineConfig,
    ItemState, LocalRunService, SharedResources, read_batch,
};
use gemicro_event::StreamId;
use gemicro_store::DurableStore;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;
use crate::support::asking;

const SECRET: &str = "correct-horse-battery";

/// An engine over some store, and a project.
struct World {
    folder: TempDir,
    engine: Engine,
}

impl World {
    async fn new(server: Option<&Server>) -> Self {
        let folder = TempDir::new().expect("a folder");
        let home = folder.path().join("home");
        std::fs::create_dir(folder.path().join("project")).expect("made");
        let store = match server {
            Some(server) => server.store().await,
            None => DurableStore::open(&home).await.expect("opens"),
        };
        let model = Arc::new(ScriptedModel::new(Part::Perfect));
        let config = EngineConfig {
            secrets: vec![SECRET.to_owned()],
            ..asking(home.clone(), "the test", model)
        };
        Self {
            engine: Engine::over(Arc::new(store), config, SharedResources::new(&home)),
            folder,
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    async fn conversation(&self, texts: &[&str]) -> StreamId {
        let mut log = ConversationLog::new();
        for text in texts {
            log.append(Turn::new(Author::User, *text));
        }
        let conversations = Conversations::new(self.engine.store().clone(), &[SECRET.to_owned()]);
        conversations.import("talk", &log).await.expect("stored").id
    }

    /// Carries out a batch of these tasks to its end.
    async fn batch(&self, tasks: Value) -> BatchAnswer {
        let batches = Batches::new(Arc::new(LocalRunService::new(self.engine.clone())));
        let request = BatchRequest {
            batch: read_batch(tasks.to_string().as_bytes()).expect("a batch"),
            settings: BatchSettings {
                llm: LlmConfig::default(),
                directory: self.project().display().to_string(),
                agent_idle_ms: 60_000,
                agent_total_ms: 60_000,
                coverage_reports: Vec::new(),
            },
            limits: Default::default(),
        };
        let submitted = batches.submit(request).await.expect("taken");
        let answer = batches.wait(
            &submitted.response_id,
            Some(Duration::from_secs(60)),
            BoardPage::ALL,
        );
        answer.await.expect("an answer")
    }

    /// What a search with these parameters gives back.
    async fn search(&self, parameters: Value) -> Value {
        let task = json!([{ "task_id": "m", "type": "get_memory_summary", "parameters": parameters }]);
        let answer = self.batch(task).await;
        assert_eq!(answer.status, BatchStatus::Completed, "{answer:?}");
        Value::clone(&answer.results[0].output)
    }
}

fn text(output: &Value) -> &str {
    output["memory_summary"].as_str().expect("a text")
}

fn sources(output: &Value) -> &[Value] {
    output["sources"].as_array().expect("a list")
}

async fn remembers(server: Option<&Server>) {
    let world = World::new(server).await;
    let memory = format!("# Loops\n- The OODA loop is observed with {SECRET}.\n- Nothing else.\n");
    std::fs::write(world.project().join("AGENT_MEMORY.md"), memory).expect("written");
    let talk = world
        .conversation(&["hello", "What did the ooda loop do about Oxidation?"])
        .await;

    let found = world.search(json!({ "keywords": ["OODA", "oxid"] })).await;
    let [turn, line] = sources(&found) else {
        panic!("{found}")
    };
    assert_eq!(
        (&turn["conversation_id"], &turn["turn"], &turn["keywords"]),
        (&json!(talk), &json!(2), &json!(["OODA", "oxid"]))
    );
    assert_eq!(
        (&line["path"], &line["line"], &line["keywords"]),
        (&json!("AGENT_MEMORY.md"), &json!(2), &json!(["OODA"]))
    );
    assert!(text(&found).contains("observed with ***."), "{found}");
    assert!(!found.to_string().contains(SECRET), "{found}");

    // The run before is remembered now, the one that searches is not.
    let all = world.search(json!({ "limit": 3 })).await;
    assert_eq!(
        (sources(&all).len(), &all["sources"][0]["kind"]),
        (3, &json!("run")),
        "{all}"
    );
    assert!(text(&all).contains("1 of 1 tasks completed"), "{all}");
    assert!(
        text(&all).ends_with("Incomplete: 3 of 5 entries are shown.\n"),
        "{all}"
    );

    let run = StreamId::new(all["sources"][0]["run_id"].as_str().expect("an id")).expect("an id");
    for stream in [&run, &talk] {
        world.engine.store().erase(stream).await.expect("erased");
    }
    let left = world.search(json!({ "keywords": ["OODA", "completed"] })).await;
    let kinds: Vec<&Value> = sources(&left).iter().map(|source| &source["kind"]).collect();
    assert_eq!(kinds, ["run", "file"], "{left}");
    assert_ne!(left["sources"][0]["run_id"], json!(run));
}

#[tokio::test]
async fn a_batch_remembers_on_sqlite() {
    remembers(None).await;
}

#[tokio::test]
async fn a_batch_remembers_on_postgres() {
    let server = Server::start();
    remembers(Some(&server)).await;
}

#[tokio::test]
async fn a_search_can_wait_for_another_and_bad_parameters_reject_one_task() {
    let world = World::new(None).await;
    let answer = world
        .batch(json!([
            { "task_id": "first", "type": "get_memory_summary", "parameters": {} },
            { "task_id": "second", "type": "get_memory_summary", "parameters": {}, "depends_on": ["first"] },
            { "task_id": "bad", "type": "get_memory_summary", "parameters": { "limit": 0 } },
        ]))
        .await;
    let states: Vec<ItemState> = answer.results.iter().map(|item| item.state).collect();
    assert_eq!(
        states,
        [ItemState::Completed, ItemState::Completed, ItemState::Rejected]
    );
    assert_eq!(text(&answer.results[1].output), "Nothing is remembered.\n");
}
