//! The executors of research steps that need no model.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_event::{ErrorKind, Failure};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::events::{ClaimSpan, FoundSpan, SourceFetched, SourceNotFetched};
use super::support;
use crate::blob::BlobId;
use crate::corpus::{Corpus, CorpusRequest, Library, Page};
use crate::execute::{Executor, Executors, StepCall};
use crate::flow::{StepFailure, StepOutput};
use crate::llm::{Backends, LLM_STEP, LlmExecutor};
use crate::offline::{self, Room, SubQuestion};

pub(super) const SOURCES_STEP: &str = "sources";
/// Splits a question without a model.
pub(super) const SPLIT_STEP: &str = "split";
pub(super) const SEARCH_STEP: &str = "search";
/// Answers from the texts without a model.
pub(super) const EXTRACT_STEP: &str = "extract";

/// Fetches a page that answers name.
pub(super) const FETCH_STEP: &str = "fetch";

/// Puts the report together without a model.
pub(super) const COMPOSE_STEP: &str = "compose";

/// Bytes of passages shown to the model for one sub-query, at most.
const MAX_PASSAGE_BYTES: usize = 16 * 1024;

/// What research needs from its process.
#[derive(Clone)]
pub struct ResearchExecutors {
    /// The sources; absent when a run has none.
    pub library: Option<Arc<dyn Library>>,
    /// The models; none in no-model mode.
    pub llm: Backends,
}

/// All executors a research run may need.
#[must_use]
pub fn executors(parts: ResearchExecutors) -> Executors {
    let mut executors = Executors::default()
        .with(SPLIT_STEP, Arc::new(SplitExecutor))
        .with(COMPOSE_STEP, Arc::new(ComposeExecutor));
    if let Some(library) = parts.library {
        executors = executors
            .with(
                SOURCES_STEP,
                Arc::new(SourcesExecutor {
                    library: library.clone(),
                }),
            )
            .with(
                SEARCH_STEP,
                Arc::new(SearchExecutor {
                    library: library.clone(),
                }),
            )
            .with(
                FETCH_STEP,
                Arc::new(FetchExecutor {
                    library: library.clone(),
                }),
            )
            .with(EXTRACT_STEP, Arc::new(ExtractExecutor { library }));
    }
    executors.with(LLM_STEP, Arc::new(LlmExecutor::new(parts.llm)))
}

type ExecutedStep = BoxFuture<'static, Result<StepOutput, StepFailure>>;

struct SourcesExecutor {
    library: Arc<dyn Library>,
}

impl Executor for SourcesExecutor {
    fn execute(&self, call: StepCall) -> ExecutedStep {
        let library = self.library.clone();
        stoppable(call.cancel.clone(), async move {
            let wanted: CorpusRequest = call.step.read_input()?;
            let card = library.read(&call.run, wanted).await.map_err(StepFailure::free)?;
            StepOutput::free(&card)
        })
    }
}

struct SplitExecutor;

#[derive(Deserialize)]
struct SplitInput {
    question: String,
    max: usize,
}

impl Executor for SplitExecutor {
    fn execute(&self, call: StepCall) -> ExecutedStep {
        Box::pin(async move {
            let input: SplitInput = call.step.read_input()?;
            let parsed = offline::decompose(&input.question, input.max.max(1));
            let sub_queries: Vec<&str> = parsed
                .iter()
                .map(|sub_question| sub_question.text.as_str())
                .collect();
            StepOutput::free(&serde_json::json!({ "sub_queries": sub_queries, "parsed": parsed }))
        })
    }
}

struct FetchExecutor {
    library: Arc<dyn Library>,
}

#[derive(Deserialize)]
struct FetchInput {
    url: String,
    claims: Vec<String>,
}

impl Executor for FetchExecutor {
    fn execute(&self, call: StepCall) -> ExecutedStep {
        let library = self.library.clone();
        stoppable(call.cancel.clone(), async move {
            let input: FetchInput = call.step.read_input()?;
            let page = match library.fetch(&call.run, &input.url).await {
                Ok(page) => page,
                Err(failure) if failure.kind == ErrorKind::StorageError => {
                    return Err(StepFailure::free(failure));
                }
                // A page that cannot be had is an answer too; nothing failed here.
                Err(failure) => {
                    return StepOutput::free(&SourceNotFetched {
                        url: input.url,
                        error: failure.message,
                        error_kind: failure.kind,
                    });
                }
            };
            let fetched = run_blocking(move || Ok(looked_through(input, page))).await?;
            StepOutput::free(&fetched)
        })
    }
}

/// A page with the sentences that say what the answers claim.
fn looked_through(input: FetchInput, page: Page) -> SourceFetched {
    let document = page.document;
    let spans = input.claims.into_iter().map(|claim| {
        let place = support::supporting_span(&document, &claim);
        let found = place.and_then(|range| {
            let text = document.text.get(range.clone())?.to_owned();
            Some(FoundSpan { text, range })
        });
        ClaimSpan { claim, found }
    });
    SourceFetched {
        asked: input.url,
        url: page.url,
        spans: spans.collect(),
        title: document.title,
        date: document.date,
        sha256: page.sha256,
        n_bytes: page.n_bytes,
        blob: page.blob,
    }
}

/// The findings are in the journal already, so the report follows from them without any further output.
struct ComposeExecutor;

impl Executor for ComposeExecutor {
    fn execute(&self, _: StepCall) -> ExecutedStep {
        Box::pin(async { StepOutput::free(&serde_json::json!({})) })
    }
}

struct SearchExecutor {
    library: Arc<dyn Library>,
}

#[derive(Deserialize)]
struct SearchInput {
    pack: BlobId,
    query: String,
    limit: usize,
}

impl Executor for SearchExecutor {
    fn execute(&self, call: StepCall) -> ExecutedStep {
        let library = self.library.clone();
        stoppable(call.cancel.clone(), async move {
            let input: SearchInput = call.step.read_input()?;
            let corpus = library
                .open(&call.run, &input.pack)
                .await
                .map_err(StepFailure::free)?;
            let room = Room {
                n_passages: input.limit,
                n_bytes: MAX_PASSAGE_BYTES,
            };
            let passages =
                run_blocking(move || offline::passages_for(corpus.as_ref(), &input.query, room)).await?;
            StepOutput::free(&passages)
        })
    }
}

struct ExtractExecutor {
    library: Arc<dyn Library>,
}

#[derive(Deserialize)]
struct ExtractInput {
    pack: BlobId,
    query: String,
    #[serde(default)]
    parsed: Option<SubQuestion>,
}

impl Executor for ExtractExecutor {
    fn execute(&self, call: StepCall) -> ExecutedStep {
        let library = self.library.clone();
        stoppable(call.cancel.clone(), async move {
            let input: ExtractInput = call.step.read_input()?;
            let corpus: Arc<dyn Corpus> = library
                .open(&call.run, &input.pack)
                .await
                .map_err(StepFailure::free)?;
            let answer = run_blocking(move || {
                // A sub-query that a person wrote has not been parsed yet.
                let parsed = input.parsed.unwrap_or_else(|| SubQuestion::new(&input.query));
                offline::answer(corpus.as_ref(), &parsed)
            })
            .await?;
            StepOutput::free(&answer)
        })
    }
}

/// Stops waiting as soon as the step is no longer wanted; a reading under way ends by itself, unheard.
fn stoppable(
    cancel: CancellationToken,
    work: impl Future<Output = Result<StepOutput, StepFailure>> + Send + 'static,
) -> ExecutedStep {
    Box::pin(async move {
        tokio::select! {
            biased;
            ended = work => ended,
            () = cancel.cancelled() => {
                Err(StepFailure::free(Failure::new(ErrorKind::Cancelled, "stopped on request")))
            }
        }
    })
}

/// Runs work that takes the processor for a while, off the async threads.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, crate::corpus::CorpusError> + Send + 'static,
) -> Result<T, StepFailure> {
    let failure = |message: String| StepFailure::free(Failure::new(ErrorKind::Internal, message));
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(failure(error.to_string())),
        Err(_) => Err(failure("the search panicked".to_owned())),
    }
}
