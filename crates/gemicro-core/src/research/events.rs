//! The events of a research run, emitted by the research flow. Kinds and fields are those of the first
//! design document; what was added since is optional to read.

use gemicro_event::{
    Charge, ErrorKind, Uncertain, UnpricedModel, UnpricedTokens, event_payload, event_readers,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AnsweredWithoutModel, Citation, CitedContradiction, RelatedPassage, UnansweredQuestion};
use crate::blob::BlobId;
use crate::corpus::SkippedSource;
use crate::run::RunState;

/// The sources were read and stored. Once per run, before decomposition, where sources are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesRead {
    /// Number of documents that could be read.
    pub n_documents: usize,
    /// Bytes of stored text.
    pub n_bytes: u64,
    /// Blob with the stored texts.
    pub pack: String,
    /// Blob with the source ledger: hash, origin and time of every text.
    pub ledger: String,
    /// Files passed over, with the reason (the first of them).
    #[serde(default)]
    pub skipped: Vec<SkippedSource>,
    /// Files passed over in all.
    #[serde(default)]
    pub n_skipped: usize,
}

/// Decomposition begins. Once per run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecompositionStarted {}

/// The question was split. Once per run, after `decomposition_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecompositionComplete {
    /// The sub-queries, in order; their place is their id.
    pub sub_queries: Vec<String>,
    /// Set when the model could not split it and why the question was split without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A sub-query begins. At most once per id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubQueryStarted {
    /// Its place among the sub-queries.
    pub id: usize,
    /// The sub-query, as the model or the splitting wrote it.
    pub query: String,
}

/// A sub-query got its answer. At most once per id, after `sub_query_started`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubQueryCompleted {
    /// Its place among the sub-queries.
    pub id: usize,
    /// The answer; numbers in brackets refer to `citations`.
    pub result: String,
    /// Tokens that this answer used.
    pub tokens_used: u64,
    /// Where it comes from; numbered from 1 within this sub-query.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// Documents that disagree about it.
    #[serde(default)]
    pub contradictions: Vec<CitedContradiction>,
    /// Citations the backend gave that do not stand in the sources; they were removed.
    #[serde(default)]
    pub n_removed: usize,
    /// Sentences that said more than their quotes; the quotes took their place.
    #[serde(default)]
    pub n_replaced: usize,
    /// Other passages that come close, beside an answer without a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPassage>,
    /// Set when it was answered without the model: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_model: Option<String>,
}

/// A sub-query has no answer. At most once per id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubQueryFailed {
    /// Its place among the sub-queries.
    pub id: usize,
    /// Why it has no answer, in one sentence.
    pub error: String,
    /// The kind of that failure.
    pub error_kind: ErrorKind,
    /// The passages that come closest, where nothing answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPassage>,
}

/// A page that answers name was fetched and stored. At most once per address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceFetched {
    /// The address that was named.
    pub asked: String,
    /// Where it was found in the end.
    pub url: String,
    /// Title, as it is shown to people.
    pub title: String,
    /// Its date, as `YYYY-MM-DD`, where it states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many bytes it had.
    pub n_bytes: u64,
    /// The blob that holds its text.
    pub blob: BlobId,
    /// What the answers claim, and the sentence of the page that says so.
    pub spans: Vec<ClaimSpan>,
}

/// What an answer claims, and where a page says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimSpan {
    /// The words of the answer.
    pub claim: String,
    /// The sentence of the page; absent where none says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundSpan>,
}

/// A sentence of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundSpan {
    /// Its text, letter by letter.
    pub text: String,
    /// Byte range in the page's stored text.
    pub range: std::ops::Range<usize>,
}

/// A page that answers name could not or may not be fetched; its citations stay what the provider says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceNotFetched {
    /// Address of the page, as the answer named it.
    pub url: String,
    /// Why it was not fetched, in one sentence.
    pub error: String,
    /// The kind of that failure.
    pub error_kind: ErrorKind,
}

/// Synthesis begins. Once per run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SynthesisStarted {}

/// The answer is there. Terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalResult {
    /// The answer in Markdown, with numbered sources at its end.
    pub answer: String,
    /// Counts, tokens and cost of the run.
    pub metadata: ResultMetadata,
    /// The sources, in the order of their numbers.
    #[serde(default)]
    pub citations: Vec<Citation>,
    /// Values on which the sources disagree.
    #[serde(default)]
    pub contradictions: Vec<CitedContradiction>,
    /// Parts of the question without an answer.
    #[serde(default)]
    pub unanswered: Vec<UnansweredQuestion>,
    /// Passages that come close but are not cited, first those for the parts without an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPassage>,
    /// Parts of the question that were answered without the model, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_model: Vec<AnsweredWithoutModel>,
    /// Set when a limit or a failure made it less than it could have been: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
}

/// Figures of a finished research run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResultMetadata {
    /// Tokens charged in all.
    pub total_tokens: u64,
    /// Time worked, in milliseconds; time suspended apart.
    pub duration_ms: u64,
    /// Sub-queries with an answer.
    pub sub_queries_succeeded: usize,
    /// Sub-queries without an answer.
    pub sub_queries_failed: usize,
    /// Money charged in all, in millionths of a US dollar.
    #[serde(default)]
    pub micro_usd: u64,
    /// A model without a known price was used: the money is not counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
    /// The tokens without a known price, by model.
    #[serde(default, skip_serializing_if = "UnpricedTokens::is_empty")]
    #[schemars(with = "Vec<UnpricedModel>")]
    pub unpriced_models: UnpricedTokens,
    /// The part of tokens and money that is an upper bound: calls that were cut off.
    #[serde(default, skip_serializing_if = "Uncertain::is_none")]
    pub uncertain: Uncertain,
}

impl ResultMetadata {
    /// The figures of a run without sub-queries, as far as it is.
    #[must_use]
    pub fn of(run: &RunState) -> Self {
        let spent = run.ledger.total_charge();
        Self {
            total_tokens: spent.tokens,
            duration_ms: run.worked_ms_at(run.last_at),
            micro_usd: spent.micro_usd,
            unpriced: !spent.unpriced_models.is_empty(),
            unpriced_models: spent.unpriced_models,
            uncertain: spent.uncertain,
            ..Self::default()
        }
    }

    /// What was charged in all.
    #[must_use]
    pub fn charge(&self) -> Charge {
        Charge {
            tokens: self.total_tokens,
            micro_usd: self.micro_usd,
            unpriced_models: self.unpriced_models,
            uncertain: self.uncertain,
            ..Charge::ZERO
        }
    }
}

event_payload!(SourcesRead, "sources_read", |it| match it.n_documents {
    1 => "Read 1 document".to_owned(),
    n => format!("Read {n} documents"),
});
event_payload!(DecompositionStarted, "decomposition_started", |_it| {
    "Decomposing query into sub-queries".to_owned()
});
event_payload!(
    DecompositionComplete,
    "decomposition_complete",
    |it| match it.sub_queries.len() {
        1 => "Decomposed into 1 sub-query".to_owned(),
        n => format!("Decomposed into {n} sub-queries"),
    }
);
event_payload!(SubQueryStarted, "sub_query_started", |it| format!(
    "Sub-query {} started",
    it.id + 1
));
event_payload!(SubQueryCompleted, "sub_query_completed", |it| {
    let note = it.without_model.as_ref();
    let note = note.map_or_else(String::new, |why| format!(", answered without the model: {why}"));
    format!("Sub-query {} completed{note}", it.id + 1)
});
event_payload!(SubQueryFailed, "sub_query_failed", |it| format!(
    "Sub-query {} failed",
    it.id + 1
));
event_payload!(SourceFetched, "source_fetched", |it| {
    let n_found = it.spans.iter().filter(|span| span.found.is_some()).count();
    format!(
        "Fetched {}: {n_found} of {} claims found there",
        it.url,
        it.spans.len()
    )
});
event_payload!(SourceNotFetched, "source_not_fetched", |it| format!(
    "Not fetched: {}: {}",
    it.url, it.error
));
event_payload!(SynthesisStarted, "synthesis_started", |_it| {
    "Synthesizing results".to_owned()
});
event_payload!(FinalResult, "final_result", |it| match &it.partial {
    None => "Research complete".to_owned(),
    Some(reason) => format!("Research complete in part: {reason}"),
});

event_readers! {
    /// Readers of the events of a research run.
    pub trait ResearchReaders {
        SourcesRead => as_sources_read, try_as_sources_read;
        DecompositionStarted => as_decomposition_started, try_as_decomposition_started;
        DecompositionComplete => as_decomposition_complete, try_as_decomposition_complete;
        SubQueryStarted => as_sub_query_started, try_as_sub_query_started;
        SubQueryCompleted => as_sub_query_completed, try_as_sub_query_completed;
        SubQueryFailed => as_sub_query_failed, try_as_sub_query_failed;
        SourceFetched => as_source_fetched, try_as_source_fetched;
        SourceNotFetched => as_source_not_fetched, try_as_source_not_fetched;
        SynthesisStarted => as_synthesis_started, try_as_synthesis_started;
        FinalResult => as_final_result, try_as_final_result;
    }

    /// Registers the events of research runs.
    pub fn register;
}
