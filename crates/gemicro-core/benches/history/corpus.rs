//! The conversation of 500 turns, its needles, and how many of them a prompt holds.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;

use gemicro_core::history::{
    ConversationLog, HistoryConfig, HistoryManager, HistoryReport, Summariser, SummaryRequest,
    read_transcript,
};
use serde::Deserialize;

/// The classes of needles, in the order of the tables.
pub(crate) const CLASSES: [&str; 6] = ["rule", "decision", "identifier", "number", "done", "last-request"];

/// An exact string that occurs once in the conversation.
#[derive(Deserialize)]
pub(crate) struct Needle {
    class: String,
    turn: u64,
    exact: String,
}

pub(crate) fn conversation() -> Result<ConversationLog, Box<dyn Error>> {
    Ok(read_transcript(include_str!(
        "../../tests/data/conversation/conversation.jsonl"
    ))?)
}

/// The needles that count when the conversation ends with turn `cut`.
pub(crate) fn needles(cut: u64) -> Result<Vec<Needle>, Box<dyn Error>> {
    let mut needles = Vec::new();
    for line in include_str!("../../tests/data/conversation/needles.jsonl").lines() {
        let needle: Needle = serde_json::from_str(line)?;
        if needle.turn <= cut && (needle.class != "last-request" || needle.turn == cut) {
            needles.push(needle);
        }
    }
    Ok(needles)
}

/// Kept and all needles by class.
pub(crate) type Kept = BTreeMap<String, (usize, usize)>;

/// How many needles a prompt holds byte for byte. Frames put a bar before lines that look like frames; a line is
/// also looked at without it.
pub(crate) fn kept(prompt: &str, needles: &[Needle]) -> Kept {
    let forms = forms(prompt);
    let mut kept = Kept::new();
    for needle in needles {
        let (n_kept, n_all) = kept.entry(needle.class.clone()).or_default();
        *n_all += 1;
        *n_kept += usize::from(holds(&forms, needle));
    }
    kept
}

/// Needles that are not in the prompt and not in the report's list of lost facts.
pub(crate) fn silent(prompt: &str, report: &HistoryReport, needles: &[Needle]) -> usize {
    let lost: HashSet<&str> = report.lost.iter().map(|fact| fact.text.as_str()).collect();
    let forms = forms(prompt);
    let is_silent = |needle: &&Needle| !holds(&forms, needle) && !lost.contains(needle.exact.as_str());
    needles.iter().filter(is_silent).count()
}

fn holds(forms: &[String; 3], needle: &Needle) -> bool {
    forms.iter().any(|form| form.contains(&needle.exact))
}

fn forms(prompt: &str) -> [String; 3] {
    let plain: Vec<&str> = prompt
        .split('\n')
        .map(|line| match line.strip_prefix('|') {
            Some(rest) if rest.trim_start_matches('|').starts_with("<<") => rest,
            _ => line,
        })
        .collect();
    let plain = plain.join("\n");
    [prompt.to_owned(), plain.replace("\\@", "@"), plain]
}

/// Answers with nothing: whatever survives owes it to no model.
struct Lossy;

impl Summariser for Lossy {
    fn summarise(&self, _: &SummaryRequest) -> Result<String, String> {
        Ok(String::new())
    }
}

/// Our history with this limit, and a summariser that says nothing.
pub(crate) fn history(limit: u64) -> HistoryManager {
    let config = HistoryConfig {
        max_prompt_tokens: limit,
        ..HistoryConfig::default()
    };
    HistoryManager::new(config).with_summariser(std::sync::Arc::new(Lossy))
}
