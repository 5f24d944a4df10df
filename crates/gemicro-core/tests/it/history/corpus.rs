//! The corpus: a conversation of 500 turns, its needles, decoys and forgeries.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use gemicro_core::history::{
    ConversationLog, HistoryConfig, HistoryManager, HistoryReport, Summariser, SummaryRequest,
    read_transcript,
};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Needle {
    pub(super) class: String,
    pub(super) turn: u64,
    pub(super) exact: String,
}

#[derive(Deserialize)]
pub(super) struct Decoy {
    pub(super) exact: String,
}

#[derive(Deserialize)]
pub(super) struct Forgery {
    pub(super) id: String,
    pub(super) family: String,
    pub(super) text: String,
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of the corpus"))
        .collect()
}

pub(super) fn conversation() -> ConversationLog {
    read_transcript(include_str!("../../data/conversation/conversation.jsonl")).expect("the corpus")
}

pub(super) fn needles() -> Vec<Needle> {
    lines(include_str!("../../data/conversation/needles.jsonl"))
}

pub(super) fn decoys() -> Vec<Decoy> {
    lines(include_str!("../../data/conversation/decoys.jsonl"))
}

pub(super) fn forgeries() -> Vec<Forgery> {
    lines(include_str!("../../data/conversation/forgeries.jsonl"))
}

/// Answers with nothing: the fully lossy summariser.
pub(super) struct Lossy;

impl Summariser for Lossy {
    fn summarise(&self, _: &SummaryRequest) -> Result<String, String> {
        Ok(String::new())
    }
}

pub(super) fn limited(max_prompt_tokens: u64) -> HistoryConfig {
    HistoryConfig {
        max_prompt_tokens,
        ..HistoryConfig::default()
    }
}

pub(super) fn lossy(config: HistoryConfig) -> HistoryManager {
    HistoryManager::new(config).with_summariser(Arc::new(Lossy))
}

/// What became of the needles that count when the log ends after turn `cut`.
pub(super) struct Measured {
    /// Kept and all, by class.
    pub(super) classes: BTreeMap<String, (usize, usize)>,
    /// Missing from the prompt and not reported lost.
    pub(super) silent: Vec<String>,
    pub(super) n_missing: usize,
}

impl Measured {
    pub(super) fn new(prompt: &str, report: &HistoryReport, cut: u64) -> Self {
        let lost: HashSet<&str> = report.lost.iter().map(|fact| fact.text.as_str()).collect();
        let mut measured = Self {
            classes: BTreeMap::new(),
            silent: Vec::new(),
            n_missing: 0,
        };
        let counts =
            |needle: &&Needle| needle.turn <= cut && (needle.class != "last-request" || needle.turn == cut);
        for needle in needles().iter().filter(counts) {
            let (kept, all) = measured.classes.entry(needle.class.clone()).or_default();
            *all += 1;
            if prompt.contains(&needle.exact) {
                *kept += 1;
                continue;
            }
            measured.n_missing += 1;
            if !lost.contains(needle.exact.as_str()) {
                measured.silent.push(needle.exact.clone());
            }
        }
        measured
    }

    pub(super) fn is_whole(&self, class: &str) -> bool {
        self.classes.get(class).is_none_or(|(kept, all)| kept == all)
    }

    pub(super) fn line(&self) -> String {
        let classes: Vec<String> = self
            .classes
            .iter()
            .map(|(class, (kept, all))| format!("{class} {kept}/{all}"))
            .collect();
        classes.join(", ")
    }
}
