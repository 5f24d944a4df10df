//! Deep research as a library: a question, two small documents, no model and no key.
//!
//! `cargo run -p gemicro-core --example research`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use gemicro_core::agent::{Agent, AgentContext};
use gemicro_core::blob::BlobId;
use gemicro_core::corpus::{
    BlockKind, Corpus, CorpusError, Hit, Library, LibraryCard, Passage, PassageQuery, Wanted,
};
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::research::{DeepResearchAgent, ResearchConfig};
use gemicro_event::{Failure, StreamId};

const DOCUMENTS: [(&str, &str); 2] = [
    (
        "bridge.md",
        "The Lantern Bridge opened in 1931. It carries the night trams.",
    ),
    ("ferry.md", "The Saltmarsh Ferry runs every 20 minutes."),
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let agent = DeepResearchAgent::new(ResearchConfig::default()).with_sources(["docs"]);
    let ctx = AgentContext {
        library: Some(Arc::new(Shelf)),
        ..AgentContext::default()
    };
    let question = "When did the Lantern Bridge open, and how often does the Saltmarsh Ferry run?";
    // Events come as they happen; dropping the stream would cancel the run.
    let mut events = agent.execute(question, ctx);
    while let Some(event) = events.next().await {
        match event {
            Ok(update) => {
                println!("{:<24} {}", update.event_type, update.message);
                if let Some(result) = update.as_final_result() {
                    println!("\n{}", result.answer);
                }
            }
            Err(error) => println!("it could not be done: {error}"),
        }
    }
}

/// A library of two sentences. The product reads folders instead (`gemicro-source`).
struct Shelf;

impl Library for Shelf {
    fn read(&self, _: &StreamId, _: Wanted) -> BoxFuture<'_, Result<LibraryCard, Failure>> {
        let texts = DOCUMENTS.map(|(_, text)| text).join("\n");
        let id = BlobId::of(texts.as_bytes());
        let card = LibraryCard {
            n_documents: DOCUMENTS.len(),
            n_bytes: texts.len() as u64,
            pack: id.clone(),
            ledger: id,
            skipped: Vec::new(),
            n_skipped: 0,
        };
        Box::pin(async { Ok(card) })
    }

    fn open(&self, _: &StreamId, _: &BlobId) -> BoxFuture<'_, Result<Arc<dyn Corpus>, Failure>> {
        Box::pin(async { Ok(Arc::new(Shelf) as Arc<dyn Corpus>) })
    }
}

impl Corpus for Shelf {
    fn search(&self, query: &PassageQuery) -> Result<Vec<Hit>, CorpusError> {
        let found = DOCUMENTS.iter().map(|(doc, text)| {
            let lower = text.to_lowercase();
            let holds = |words: &String| lower.contains(&words.to_lowercase());
            let is_about = query.phrases.iter().all(holds);
            let n_terms = query.terms.iter().filter(|term| holds(term)).count();
            (
                doc,
                if is_about {
                    n_terms + query.phrases.len()
                } else {
                    0
                },
            )
        });
        let hits = found.filter(|(_, score)| *score > 0).flat_map(|(doc, score)| {
            let passages = self.passages(doc).unwrap_or_default();
            passages.into_iter().map(move |passage| Hit {
                passage,
                score: score as f32,
            })
        });
        let mut hits: Vec<Hit> = hits.collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(query.limit);
        Ok(hits)
    }

    fn passages(&self, doc: &str) -> Result<Vec<Passage>, CorpusError> {
        let found = DOCUMENTS.iter().filter(|(name, _)| *name == doc);
        let passages = found.map(|(name, text)| Passage {
            doc: (*name).to_owned(),
            ordinal: 0,
            range: 0..text.len(),
            text: (*text).to_owned(),
            kind: BlockKind::Paragraph,
            heading: None,
            title: (*name).to_owned(),
            date: None,
        });
        Ok(passages.collect())
    }

    fn passage_frequency(&self, term: &str) -> u64 {
        DOCUMENTS
            .iter()
            .filter(|(_, text)| text.to_lowercase().contains(&term.to_lowercase()))
            .count() as u64
    }

    fn n_passages(&self) -> u64 {
        DOCUMENTS.len() as u64
    }
}
