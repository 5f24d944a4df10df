//! What is in a recording, on one screen: [`RecordingSummary`].

use std::collections::{BTreeMap, BTreeSet};

use gemicro_core::run::events::RunReaders;
use gemicro_event::{StreamId, Timestamp};
use serde::Serialize;

use crate::recording::{RecordedStream, Recording};

/// A recording in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordingSummary {
    /// The flow of the run, or `conversation`.
    pub kind: String,
    /// The program that wrote the file.
    pub program: String,
    /// Version of the file format.
    pub version: u32,
    /// The run or conversation.
    pub root: StreamId,
    /// All events.
    pub n_events: usize,
    /// Contents beside the events.
    pub n_blobs: usize,
    /// Pieces of live text; 0 unless it was made with `--record`.
    pub n_live: usize,
    /// The runs, in the order in which they started.
    pub runs: Vec<RunSummary>,
}

/// A recorded run in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// Id of the run.
    pub run: StreamId,
    /// Its flow.
    pub flow: String,
    /// What was asked, in one line.
    pub title: String,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The type of its last event.
    pub ended_with: String,
    /// Its steps by kind, with how often each kind was started.
    pub steps: BTreeMap<String, usize>,
    /// The models that its plan and its steps name.
    pub models: BTreeSet<String>,
    /// Tokens that it was charged for.
    pub tokens: u64,
}

impl RecordingSummary {
    /// Reads a recording.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        let header = recording.header.clone();
        Self {
            kind: header.kind,
            program: header.program,
            version: header.version,
            root: header.root,
            n_events: recording.streams.iter().map(|stream| stream.events.len()).sum(),
            n_blobs: recording.blobs.len(),
            n_live: recording.live.len(),
            runs: recording.runs().map(summarise).collect(),
        }
    }
}

fn summarise(run: &RecordedStream) -> RunSummary {
    let (first, last) = (run.events.first(), run.events.last());
    let started = first.and_then(|event| event.update.as_run_started());
    let time = |event: Option<&gemicro_event::Event>| event.map(|event| event.update.timestamp);
    let (started_at, ended_at) = (time(first), time(last));
    let duration = ended_at.zip(started_at).map(|(end, start)| end.since(start));
    let mut summary = RunSummary {
        run: run.id.clone(),
        flow: run.flow(),
        title: started.as_ref().map(|it| it.title.clone()).unwrap_or_default(),
        started_at,
        duration_ms: duration.map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX)),
        ended_with: last.map(|it| it.update.event_type.clone()).unwrap_or_default(),
        steps: BTreeMap::new(),
        models: started.iter().filter_map(|it| model_of(&it.plan)).collect(),
        tokens: 0,
    };
    for event in &run.events {
        if let Some(started) = event.update.as_step_started() {
            summary.models.extend(model_of(&started.input));
            *summary.steps.entry(started.kind).or_default() += 1;
        }
        let charge = event.update.data.get("charge").and_then(|it| it.get("tokens"));
        summary.tokens += charge.and_then(serde_json::Value::as_u64).unwrap_or(0);
    }
    summary
}

fn model_of(data: &gemicro_event::Json) -> Option<String> {
    data.get("model").and_then(|it| it.as_str()).map(str::to_owned)
}
