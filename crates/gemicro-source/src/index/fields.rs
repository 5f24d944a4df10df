//! The fields of the index: [`Fields`].
//!
//! Exact fields answer phrases, folded ones score. A heading is searched through the passages below it, so
//! a passage that is a heading has no text of its own in the index.

use gemicro_core::corpus::{BlockKind, Passage};
use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TokenizerManager;

use super::tokenizer::{ExactTokenizer, FoldedTokenizer};

/// Handles of the fields; the same in every index of this version.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Place among all passages, for a stable order.
    pub(super) place: Field,
    /// Document id.
    pub(super) doc: Field,
    /// The passage itself as JSON.
    pub(super) passage: Field,
    pub(super) body_exact: Field,
    pub(super) heading_exact: Field,
    pub(super) title_exact: Field,
    pub(super) body_folded: Field,
    pub(super) context_folded: Field,
}

/// Name of the fast field that [`Fields::place`] is.
pub(super) const PLACE: &str = "place";

impl Fields {
    /// The fields and the schema that holds them.
    pub(super) fn schema() -> (Self, Schema) {
        let exact = text_options("exact", IndexRecordOption::WithFreqsAndPositions);
        let folded = text_options("folded", IndexRecordOption::WithFreqs);
        let mut builder = Schema::builder();
        let fields = Self {
            place: builder.add_u64_field(PLACE, FAST),
            doc: builder.add_text_field("doc", STRING),
            passage: builder.add_bytes_field("passage", STORED),
            body_exact: builder.add_text_field("body_exact", exact.clone()),
            heading_exact: builder.add_text_field("heading_exact", exact.clone()),
            title_exact: builder.add_text_field("title_exact", exact),
            body_folded: builder.add_text_field("body_folded", folded.clone()),
            context_folded: builder.add_text_field("context_folded", folded),
        };
        (fields, builder.build())
    }

    /// A passage as the index stores it.
    pub(super) fn document(
        &self,
        place: u64,
        passage: &Passage,
    ) -> Result<TantivyDocument, serde_json::Error> {
        let mut document = TantivyDocument::default();
        document.add_u64(self.place, place);
        document.add_text(self.doc, &passage.doc);
        document.add_bytes(self.passage, &serde_json::to_vec(passage)?);
        if passage.kind != BlockKind::Heading {
            document.add_text(self.body_exact, &passage.text);
            document.add_text(self.body_folded, &passage.text);
            document.add_text(self.title_exact, &passage.title);
            document.add_text(self.context_folded, &passage.title);
            document.add_text(self.context_folded, &passage.doc);
            if let Some(heading) = &passage.heading {
                document.add_text(self.heading_exact, heading);
                document.add_text(self.context_folded, heading);
            }
        }
        Ok(document)
    }
}

/// The tokenizers under the names that the schema uses.
pub(super) fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register("exact", ExactTokenizer);
    manager.register("folded", FoldedTokenizer);
    manager
}

fn text_options(tokenizer: &str, record: IndexRecordOption) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(tokenizer)
        .set_index_option(record);
    TextOptions::default().set_indexing_options(indexing)
}
