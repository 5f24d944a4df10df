//! A model that remembers by itself, a state folder, and chats over both.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_chat::{AgentWays, ChatConfig, ChatLine, Conversations, News, Opening, Order, open_chat};
use gemicro_core::budget::Limits;
use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::history::{HistoryConfig, Speaker, Transport};
use gemicro_core::llm::{FinishReason, GEMINI, LlmBackend, LlmChunk, LlmConfig, LlmEnd, LlmRequest};
use gemicro_core::store::Store;
use gemicro_engine::{Engine, LocalRunService};
use gemicro_event::{ErrorKind, Failure, Json, StreamId, Usage};
use tempfile::TempDir;

use crate::support::asking;

/// Answers with the last code word that it was told, and keeps interactions until they are dropped.
#[derive(Clone, Default)]
pub(crate) struct Rememberer {
    pub(crate) state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) interactions: BTreeMap<String, String>,
    pub(crate) asked: Vec<LlmRequest>,
    /// What the next calls do instead of answering well.
    pub(crate) odd: Vec<Odd>,
    pub(crate) summary: Option<String>,
}

#[derive(Clone, PartialEq)]
pub(crate) enum Odd {
    Hang,
    Say(String),
}

impl Rememberer {
    pub(crate) fn forget(&self) {
        self.state.lock().expect("free").interactions.clear();
    }

    pub(crate) fn next(&self, odd: Odd) {
        self.state.lock().expect("free").odd.push(odd);
    }

    pub(crate) fn asked(&self, label: &str) -> Vec<LlmRequest> {
        let state = self.state.lock().expect("free");
        state
            .asked
            .iter()
            .filter(|it| it.label == label)
            .cloned()
            .collect()
    }

    pub(crate) fn answer(&self, request: &LlmRequest) -> Result<(String, String), Option<StepFailure>> {
        let mut state = self.state.lock().expect("free");
        state.asked.push(request.clone());
        if request.label == "summarise" {
            return match state.summary.clone() {
                Some(summary) => Ok((summary, "s".to_owned())),
                None => Err(None),
            };
        }
        let before = match &request.previous {
            None => String::new(),
            Some(id) => match state.interactions.get(id) {
                Some(before) => before.clone(),
                None => {
                    let failure = Failure::new(ErrorKind::SessionNotFound, "no such interaction");
                    return Err(Some(StepFailure::new(failure, AttemptCost::Nothing)));
                }
            },
        };
        let said = match state.odd.pop() {
            Some(Odd::Hang) => return Err(None),
            Some(Odd::Say(text)) => Some(text),
            None => None,
        };
        let known = format!("{before}\n{}", request.prompt);
        let text = said.unwrap_or_else(|| match known.rsplit_once("the code word is ") {
            Some((_, rest)) => {
                let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
                format!("I know {word}.")
            }
            None => "I know nothing.".to_owned(),
        });
        let id = format!("i{}", state.asked.len());
        state.interactions.insert(id.clone(), format!("{known}\n{text}"));
        Ok((text, id))
    }
}

impl LlmBackend for Rememberer {
    fn name(&self) -> &str {
        "rememberer"
    }

    fn stream(
        &self,
        request: LlmRequest,
        _handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let answer = self.answer(&request);
        Box::pin(stream! {
            match answer {
                Ok((text, id)) => {
                    let usage = Usage { input_tokens: 7, output_tokens: 3, ..Usage::default() };
                    yield Ok(LlmChunk::Text(text));
                    yield Ok(LlmChunk::End(LlmEnd {
                        finish: FinishReason::Stop,
                        usage: Some(usage),
                        interaction_id: Some(id),
                        annotations: Vec::new(),
                        calls: Vec::new(),
                    }));
                }
                Err(Some(failure)) => yield Err(failure),
                Err(None) => std::future::pending().await,
            }
        })
    }
}

/// A state folder, a model and chats over them.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) model: Rememberer,
    pub(crate) engine: Engine,
}

pub(crate) async fn open_engine(folder: &TempDir, owner: &str, model: &Rememberer) -> Engine {
    let config = asking(folder.path().join("home"), owner, Arc::new(model.clone()));
    Engine::open(config).await.expect("the store opens")
}

impl World {
    pub(crate) async fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let model = Rememberer::default();
        let engine = open_engine(&folder, "the test", &model).await;
        Self {
            folder,
            model,
            engine,
        }
    }

    pub(crate) fn conversations(&self) -> Conversations {
        Conversations::new(self.engine.store().clone(), &[])
    }

    pub(crate) fn config(&self) -> ChatConfig {
        let speaker = |name: &str| match name {
            "nobody" => Err(Failure::new(ErrorKind::UnknownModel, "there is no model nobody")),
            model => Ok(model_named(model)),
        };
        ChatConfig {
            desk: Arc::new(LocalRunService::new(self.engine.clone())),
            survives: false,
            conversations: self.conversations(),
            owner: "the test".to_owned(),
            is_gone: |_| false,
            speaker: model_named("gemini-3.5-flash"),
            speaker_is_given: false,
            find_speaker: Arc::new(speaker),
            history: HistoryConfig::default(),
            agent: AgentWays {
                directory: self.folder.path().to_owned(),
                sandbox: Default::default(),
                yolo: true,
                idle: Duration::from_secs(5),
                total: Duration::from_secs(5),
            },
            llm: LlmConfig {
                max_attempts: 1,
                timeout_ms: 20_000,
                idle_timeout_ms: 20_000,
                ..LlmConfig::default()
            },
            summariser: None,
            limits: Limits::default(),
            asks: false,
        }
    }

    pub(crate) async fn open(&self, config: ChatConfig, opening: Opening) -> Talk {
        let line = open_chat(config, opening).await.expect("it opens");
        Talk::over(line).await
    }

    pub(crate) async fn chat(&self) -> Talk {
        self.open(self.config(), Opening::New).await
    }

    /// The types of a conversation's events.
    pub(crate) async fn events(&self, id: &StreamId) -> Vec<String> {
        let page = self.engine.store().read(id, 0, 1_000).await.expect("there");
        page.events
            .into_iter()
            .map(|event| event.update.event_type)
            .collect()
    }
}

pub(crate) fn model_named(model: &str) -> Speaker {
    Speaker::Model {
        backend: GEMINI.to_owned(),
        model: model.to_owned(),
    }
}

/// A chat with its first news taken.
pub(crate) struct Talk {
    pub(crate) line: ChatLine,
    pub(crate) id: StreamId,
}

impl Talk {
    pub(crate) async fn over(mut line: ChatLine) -> Self {
        let id = match line.news.recv().await {
            Some(News::Opened(chapter)) => chapter.id,
            other => panic!("{other:?}"),
        };
        Self { line, id }
    }

    pub(crate) async fn order(&mut self, order: Order) {
        self.line.orders.send(order).await.expect("the chat lives");
    }

    /// News up to the first that is wanted.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&News) -> bool) -> Vec<News> {
        let mut news = Vec::new();
        loop {
            let next = tokio::time::timeout(Duration::from_secs(30), self.line.news.recv());
            let item = next.await.unwrap_or_else(|_| panic!("no end after {news:?}"));
            let item = item.unwrap_or_else(|| panic!("closed after {news:?}"));
            news.push(item);
            if is_it(&news[news.len() - 1]) {
                return news;
            }
        }
    }

    /// Says something; gives all news up to the answer or its failure.
    pub(crate) async fn say(&mut self, text: &str) -> Vec<News> {
        self.order(Order::Say(text.to_owned())).await;
        self.until(|news| {
            matches!(
                news,
                News::Answered { .. } | News::Failed { .. } | News::Refused(_) | News::Stopped
            )
        })
        .await
    }

    pub(crate) async fn answer(&mut self, text: &str) -> String {
        match self.say(text).await.pop() {
            Some(News::Answered { turn, .. }) => turn.text,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn quit(mut self) {
        self.order(Order::Quit).await;
        self.until(|news| *news == News::Closed).await;
    }
}

pub(crate) fn transport(news: &[News]) -> Option<Transport> {
    news.iter().find_map(|news| match news {
        News::Asked { transport, .. } => Some(*transport),
        _ => None,
    })
}
