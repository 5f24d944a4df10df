//! Servers for the tests, and ways to speak to them.

use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_chat::{Conversation, ConversationRow};
use gemicro_core::flow::StepFailure;
use gemicro_core::history::{Author, ConversationLog, Turn};
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::llm::{Backends, GEMINI, LlmBackend, LlmChunk, LlmConfig, LlmRequest};
use gemicro_core::research::ResearchConfig;
use gemicro_engine::{
    Backend, BatchRequest, BatchSettings, Engine, EngineConfig, LocalRunService, Plan, PromptRequest,
    Request, ResearchRequest, RunService,
};
use gemicro_event::{ErrorKind, Failure, Json, StreamId, Timestamp};
use gemicro_http::{ConversationShelf, HttpSetup, ServerAccess, ServerReach, StartRequest, serve};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server that runs.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) serving: JoinHandle<Result<(), Failure>>,
    http: reqwest::Client,
}

/// A server over an engine of its own, whose model answers when the test lets it.
pub(crate) struct House {
    pub(crate) server: Server,
    /// One permit, one answer.
    gate: Arc<Semaphore>,
    _folder: TempDir,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The kind of the error and its message.
    pub(crate) fn error(&self) -> (String, String) {
        let body = self.json();
        let text = |name: &str| body["error"][name].as_str().unwrap_or_default().to_owned();
        (text("kind"), text("message"))
    }
}

impl Server {
    /// Serves over any desk.
    pub(crate) async fn over(desk: Arc<dyn RunService>, directory: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let directory = directory.to_owned();
        let setup = HttpSetup {
            desk,
            batch: Arc::new(move |batch| {
                Ok(BatchRequest {
                    batch,
                    settings: BatchSettings {
                        llm: LlmConfig::default(),
                        directory: directory.clone(),
                        agent_idle_ms: 1_000,
                        agent_total_ms: 1_000,
                        coverage_reports: Vec::new(),
                    },
                    limits: Default::default(),
                })
            }),
            plan: Arc::new(plan),
            conversations: Arc::new(OneConversation),
            version: "0.0.0-test",
        };
        let access = ServerAccess {
            token: TOKEN.to_owned(),
            reach: ServerReach::Loopback,
        };
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(serve(setup, listener, access, shutdown.clone()));
        Self {
            address,
            shutdown,
            serving,
            http: gemicro_client::builder().no_proxy().build().unwrap(),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request with the token.
    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        self.http.request(method, self.url(path)).bearer_auth(TOKEN)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.request("GET", path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<String>) -> Answer {
        let request = self.request("POST", path);
        let json = request.header("content-type", "application/json");
        answer(json.body(body.into())).await
    }

    /// Stops it and waits until it has.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.serving.await.unwrap().unwrap();
    }
}

impl House {
    pub(crate) async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        let text = "The Port Amsel lighthouse is 31 metres high. It was built in 1874.\n";
        std::fs::write(folder.path().join("docs/lighthouse.md"), text).unwrap();
        let gate = Arc::new(Semaphore::new(0));
        let model = GatedModel {
            model: ScriptedModel::new(Part::Echo),
            gate: gate.clone(),
        };
        let config = EngineConfig {
            store: None,
            agents: None,
            home: folder.path().join("home"),
            owner: format!("test {}", std::process::id()),
            program: "gemicro test".to_owned(),
            llm: Backends::one(GEMINI, Arc::new(model)),
            fetch: Default::default(),
            reader: None,
            secrets: Vec::new(),
            share_sources: false,
            max_parallel: 8,
            resident: false,
            credentials: String::new(),
            day_budget: gemicro_core::budget::Limits::NONE,
            notify: None,
        };
        let engine = Engine::open(config).await.unwrap();
        let directory = folder.path().to_str().unwrap().to_owned();
        Self {
            server: Server::over(Arc::new(LocalRunService::new(engine)), &directory).await,
            gate,
            _folder: folder,
        }
    }

    /// The model answers this many more prompts.
    pub(crate) fn answer(&self, n_answers: usize) {
        self.gate.add_permits(n_answers);
    }

    /// A folder of documents.
    pub(crate) fn docs(&self) -> String {
        self._folder.path().join("docs").to_str().unwrap().to_owned()
    }
}

/// Sends a request and reads the answer to its end.
pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        text: response.text().await.unwrap(),
    }
}

/// Tasks that ask the model, one for each prompt; their ids are `t1`, `t2`, …
pub(crate) fn prompts(prompts: &[&str]) -> String {
    let tasks = prompts.iter().enumerate().map(|(idx, prompt)| {
        serde_json::json!({ "task_id": format!("t{}", idx + 1), "type": "prompt", "parameters": { "prompt": prompt } })
    });
    Value::Array(tasks.collect()).to_string()
}

/// A prompt that begins so is answered at once with [`BEGINNING`], and later with the rest.
pub(crate) const SLOWLY: &str = "slowly";
pub(crate) const BEGINNING: &str = "It begins: ";

/// Repeats its prompt, when it may.
struct GatedModel {
    model: ScriptedModel,
    gate: Arc<Semaphore>,
}

impl LlmBackend for GatedModel {
    fn name(&self) -> &str {
        "gated"
    }

    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let gate = self.gate.clone();
        let begins = request.prompt.starts_with(SLOWLY);
        let answers = self.model.stream(request, handle);
        let opened = async move { gate.acquire_owned().await.unwrap().forget() };
        let rest = futures_util::stream::once(opened).flat_map_unordered(None, {
            let mut answers = Some(answers);
            move |()| answers.take().unwrap()
        });
        let begun = begins.then(|| Ok(LlmChunk::Text(BEGINNING.to_owned())));
        Box::pin(futures_util::stream::iter(begun).chain(rest))
    }
}

fn plan(request: StartRequest) -> Result<Plan, Failure> {
    let parameters = match request {
        StartRequest::Research(parameters) => parameters,
        StartRequest::Prompt(it) => {
            return Plan::of(&Request::Prompt(Box::new(PromptRequest {
                title: "a prompt".to_owned(),
                label: String::new(),
                prompt: it.prompt,
                earlier: None,
                llm: LlmConfig::default(),
                limits: Default::default(),
                conversation: None,
                recall: false,
            })));
        }
        other => {
            let message = format!("not here: {other:?}");
            return Err(Failure::new(ErrorKind::SandboxUnavailable, message));
        }
    };
    if !parameters.offline {
        let message = "no model can be asked: no key is set";
        return Err(Failure::new(ErrorKind::AuthFailed, message));
    }
    Plan::of(&Request::Research(Box::new(ResearchRequest {
        question: parameters.question,
        sources: parameters.sources.into_iter().map(Into::into).collect(),
        backend: Backend::Offline,
        config: ResearchConfig::default(),
        limits: Default::default(),
        base: None,
    })))
}

/// A shelf with one conversation.
struct OneConversation;

pub(crate) const CONVERSATION: &str = "talk0123456789ab";

impl ConversationShelf for OneConversation {
    fn list(&self, limit: usize) -> BoxFuture<'_, Result<Vec<ConversationRow>, Failure>> {
        assert!(limit > 0);
        let row = ConversationRow {
            id: StreamId::new(CONVERSATION).unwrap(),
            name: "the migration".to_owned(),
            turns: 2,
            started_at: Timestamp::default(),
            updated_at: Timestamp::default(),
            readable: true,
        };
        Box::pin(async move { Ok(vec![row]) })
    }

    fn load(&self, named: &StreamId) -> BoxFuture<'_, Result<Conversation, Failure>> {
        let named = named.clone();
        Box::pin(async move {
            if !CONVERSATION.starts_with(named.as_str()) {
                return Err(Failure::new(ErrorKind::NotFound, "there is no such conversation"));
            }
            let mut log = ConversationLog::new();
            for (author, text) in [(Author::User, "Which day?"), (Author::Assistant, "Monday.")] {
                log.append(Turn::new(author, text));
            }
            Ok(Conversation {
                id: StreamId::new(CONVERSATION).unwrap(),
                name: "the migration".to_owned(),
                started_at: Timestamp::default(),
                log,
                held: Default::default(),
                seq: 3,
            })
        })
    }
}
