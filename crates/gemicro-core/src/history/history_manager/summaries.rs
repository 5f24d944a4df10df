//! Summaries that are requested after a compaction and used by the next one.

use super::HistoryManager;
use crate::history::summary::{MAX_SUMMARY_CALLS, SummarySource, check_summary};
use crate::history::{Summariser, SummaryRefusal, SummaryRequest};

impl HistoryManager {
    /// Writes the summaries that the last compaction lacked, at most two; the next one uses them.
    pub fn summarise_history(&mut self, summariser: &dyn Summariser) -> Vec<Result<(), SummaryRefusal>> {
        self.summary_requests()
            .into_iter()
            .map(|request| {
                let answer = summariser
                    .summarise(&request)
                    .map_err(|reason| SummaryRefusal::Failed { reason });
                self.accept_summary(&request, answer)
            })
            .collect()
    }

    /// Summaries that would be useful. They may be written in the background; nothing waits for them.
    #[must_use]
    pub fn summary_requests(&self) -> Vec<SummaryRequest> {
        self.wanted
            .iter()
            .filter(|request| self.cache.get(&request.hash).is_none())
            .take(MAX_SUMMARY_CALLS)
            .cloned()
            .collect()
    }

    /// Takes an answer to such a request. It is used from the next compaction on.
    ///
    /// # Errors
    ///
    /// When it is not a usable summary; the refusal is cached too, so the model is not asked again.
    pub fn accept_summary(
        &mut self,
        request: &SummaryRequest,
        answer: Result<String, SummaryRefusal>,
    ) -> Result<(), SummaryRefusal> {
        let material = self.record.material();
        let source = SummarySource {
            turns: material.log.range(request.first, request.last),
            tokens: (request.first..=request.last)
                .map(|number| material.whole(number))
                .sum(),
        };
        let judged =
            answer.and_then(|answer| check_summary(material.counter, &answer, &source, request.max_tokens));
        let judged = judged.map(|(text, n_dropped)| {
            self.n_summary_statements_dropped += n_dropped;
            text
        });
        self.cache.put(request.hash.clone(), judged.clone());
        judged.map(|_| ())
    }
}
