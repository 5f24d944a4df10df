//! Makes the segments that replace turns.

use super::material::Material;
use super::summary::{MAX_SUMMARY_CALLS, SummarySource, check_summary, instruction};
use super::{
    HistoryWarning, Segment, SegmentOrigin, Summariser, SummaryCache, SummaryRefusal, SummaryRequest,
    content_hash,
};

/// Maximum number of segments; more are merged.
const MAX_SEGMENTS: usize = 4;

/// Provides summaries during one compaction.
pub(super) struct SummarySupply<'a> {
    pub(super) cache: &'a mut SummaryCache,
    /// Writes summaries immediately. Without one, requests are left for later.
    pub(super) summariser: Option<&'a dyn Summariser>,
    /// The last prompt, with which a request starts.
    pub(super) prefix: &'a str,
    pub(super) n_calls: usize,
    /// Number of summary statements that were dropped.
    pub(super) n_dropped: usize,
    pub(super) wanted: Vec<SummaryRequest>,
    pub(super) warnings: Vec<HistoryWarning>,
}

impl<'a> SummarySupply<'a> {
    pub(super) fn new(
        cache: &'a mut SummaryCache,
        summariser: Option<&'a dyn Summariser>,
        prefix: &'a str,
    ) -> Self {
        Self {
            cache,
            summariser,
            prefix,
            n_calls: 0,
            n_dropped: 0,
            wanted: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The summary of this content, if it is cached or can be written now.
    fn get(&mut self, material: &Material<'_>, ask: SegmentRequest) -> Option<String> {
        if let Some(known) = self.cache.get(&ask.hash) {
            return known.as_ref().ok().cloned();
        }
        let request = SummaryRequest {
            prompt: format!(
                "{}{}",
                self.prefix,
                instruction(ask.first, ask.last, ask.max_tokens)
            ),
            hash: ask.hash,
            first: ask.first,
            last: ask.last,
            max_tokens: ask.max_tokens,
        };
        let Some(summariser) = self.summariser else {
            self.warnings.push(HistoryWarning::NoSummary {
                first: ask.first,
                last: ask.last,
            });
            if self.wanted.len() < MAX_SUMMARY_CALLS {
                self.wanted.push(request);
            }
            return None;
        };
        if self.n_calls >= MAX_SUMMARY_CALLS {
            self.warnings.push(HistoryWarning::NoSummary {
                first: ask.first,
                last: ask.last,
            });
            return None;
        }
        self.n_calls += 1;
        let answer = match summariser.summarise(&request) {
            Ok(answer) => {
                let source = SummarySource {
                    turns: material.log.range(ask.first, ask.last),
                    tokens: ask.source_tokens,
                };
                check_summary(material.counter, &answer, &source, ask.max_tokens)
            }
            Err(reason) => Err(SummaryRefusal::Failed { reason }),
        };
        let answer = answer.map(|(text, n_dropped)| {
            self.n_dropped += n_dropped;
            text
        });
        if let Err(refusal) = &answer {
            let refusal = refusal.clone();
            self.warnings.push(HistoryWarning::SummaryRefused {
                first: ask.first,
                last: ask.last,
                refusal,
            });
        }
        self.cache.put(request.hash, answer.clone());
        answer.ok()
    }
}

/// A request for the summary of one segment.
struct SegmentRequest {
    hash: String,
    first: u64,
    last: u64,
    source_tokens: u64,
    max_tokens: u64,
}

/// A segment for these turns, with a summary if one is available.
pub(super) fn seal_segment(
    material: &Material<'_>,
    first: u64,
    last: u64,
    summaries: &mut SummarySupply<'_>,
) -> Segment {
    let turns = material.log.range(first, last);
    let hash = content_hash(turns);
    let source_tokens: u64 = (first..=last).map(|number| material.whole(number)).sum();
    let ask = SegmentRequest {
        hash: hash.clone(),
        first,
        last,
        source_tokens,
        max_tokens: material.config.limit() / 20,
    };
    match summaries.get(material, ask) {
        Some(text) => Segment {
            first,
            last,
            hash,
            text,
            origin: SegmentOrigin::Summary,
        },
        None => Segment {
            first,
            last,
            hash,
            text: String::new(),
            origin: SegmentOrigin::Truncation,
        },
    }
}

/// Adds summaries that arrived later to older segments.
pub(super) fn refresh_segments(segments: &[Segment], cache: &SummaryCache) -> Vec<Segment> {
    let refresh = |segment: &Segment| match cache.get(&segment.hash) {
        Some(Ok(text)) => Segment {
            text: text.clone(),
            origin: SegmentOrigin::Summary,
            ..segment.clone()
        },
        Some(Err(_)) | None => segment.clone(),
    };
    segments.iter().map(refresh).collect()
}

/// Merges all but the newest segment into one when there are too many.
pub(super) fn merged(
    material: &Material<'_>,
    mut segments: Vec<Segment>,
    summaries: &mut SummarySupply<'_>,
) -> Vec<Segment> {
    if segments.len() <= MAX_SEGMENTS {
        return segments;
    }
    let newest = segments.split_off(segments.len() - 1);
    let (Some(oldest), Some(before)) = (segments.first(), segments.last()) else {
        return newest;
    };
    let (first, last) = (oldest.first, before.last);
    let texts = segments.iter().map(|segment| segment.text.as_str());
    let joined = texts
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    let hash = content_hash(material.log.range(first, last));
    let max_tokens = material.config.limit() / 16;
    let source_tokens = material.counter.tokens(&joined);
    let has_summary = segments
        .iter()
        .any(|segment| segment.origin == SegmentOrigin::Summary);
    let ask = SegmentRequest {
        hash: hash.clone(),
        first,
        last,
        source_tokens,
        max_tokens,
    };
    let summary = if has_summary {
        summaries.get(material, ask)
    } else {
        None
    };
    let text = summary.unwrap_or_else(|| end_within(material, &joined, max_tokens));
    let origin = if text.is_empty() {
        SegmentOrigin::Truncation
    } else {
        SegmentOrigin::Summary
    };
    let merged = Segment {
        first,
        last,
        hash,
        text,
        origin,
    };
    let mut all = vec![merged];
    all.extend(newest);
    all
}

/// The last lines of a text that fit.
fn end_within(material: &Material<'_>, text: &str, room: u64) -> String {
    let mut left = room;
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().rev() {
        let cost = material.counter.tokens(line) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n")
}
