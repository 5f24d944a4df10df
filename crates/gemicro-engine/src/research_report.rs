//! The structured report of a research run, with its quotes in context.

use gemicro_core::research::ResearchReport;
use gemicro_core::store::Store;
use gemicro_event::{Failure, StreamId};
use gemicro_source::stored_documents;
use gemicro_store::DurableStore;

/// Reads the report of a run. If its stored texts were deleted or damaged, the quotes have no context.
///
/// # Errors
/// When it is not a research run, has not ended, or its journal cannot be read.
pub async fn research_report(store: &DurableStore, id: &StreamId) -> Result<ResearchReport, Failure> {
    let events = store.read(id, 0, usize::MAX).await?.events;
    let mut report = ResearchReport::read(&events)?;
    match stored_documents(store, &report.stored).await {
        Ok(documents) => report.place_quotes(&documents),
        Err(failure) => tracing::warn!(run = %id, %failure, "the stored texts of a report cannot be read"),
    }
    Ok(report)
}
