//! A folder in the format of the conversation corpus, and how much of it prompts keep.
//!
//! The rules are those of the corpus: a needle is kept when its exact text is in the prompt; a question is answered when
//! the prompt for its message holds all its needles, with runs of white space as one blank.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use gemicro_core::history::{ConversationLog, HistoryReport, read_transcript};
use serde::Deserialize;

/// An exact string that the conversation says once.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Needle {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) class: String,
    pub(crate) turn: u64,
    pub(crate) exact: String,
}

/// A next message whose answer needs old statements.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) message: String,
    pub(crate) needles: Vec<String>,
    pub(crate) class: String,
}

/// A conversation with what is asked of its prompts.
pub(crate) struct Corpus {
    pub(crate) log: ConversationLog,
    pub(crate) needles: Vec<Needle>,
    pub(crate) questions: Vec<Question>,
}

/// Kept and all, by class; and what is missing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Score {
    pub(crate) classes: BTreeMap<String, (usize, usize)>,
    pub(crate) missing: Vec<String>,
}

impl Corpus {
    /// Reads `conversation.jsonl`, `needles.jsonl` and `questions.jsonl` of a folder.
    pub(crate) fn load(folder: &Path) -> Self {
        let read = |name: &str| {
            let file = folder.join(name);
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
        };
        Self {
            log: read_transcript(&read("conversation.jsonl")).expect("turns"),
            needles: lines(&read("needles.jsonl")),
            questions: lines(&read("questions.jsonl")),
        }
    }

    /// The corpus with this name in the project.
    pub(crate) fn named(name: &str) -> Self {
        Self::load(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/data")
                .join(name),
        )
    }

    /// The needles that count when the conversation ends with turn `cut`.
    pub(crate) fn needles_at(&self, cut: u64) -> impl Iterator<Item = &Needle> {
        let counts = move |needle: &&Needle| {
            needle.turn <= cut && (needle.class != "last-request" || needle.turn == cut)
        };
        self.needles.iter().filter(counts)
    }

    /// How many needles the prompt after turn `cut` holds.
    pub(crate) fn retention(&self, prompt: &str, cut: u64) -> Score {
        let forms = forms(prompt);
        let mut score = Score::default();
        for needle in self.needles_at(cut) {
            let is_kept = forms.iter().any(|form| form.contains(&needle.exact));
            score.count(&needle.class, &needle.id, is_kept);
        }
        score
    }

    /// Needles that are not in the prompt and not in what its report says is left out or lost.
    pub(crate) fn silent(&self, prompt: &str, report: &HistoryReport, cut: u64) -> Vec<String> {
        let lost: HashSet<&str> = report.lost.iter().map(|fact| fact.text.as_str()).collect();
        let forms = forms(prompt);
        let is_left_out = |turn: u64| {
            let (prose, pasted) = (&report.statements.left_out, &report.statements.pasted_left_out);
            let mut ranges = prose.iter().chain(pasted);
            ranges.any(|range| (range.first..=range.last).contains(&turn))
        };
        self.needles_at(cut)
            .filter(|needle| !forms.iter().any(|form| form.contains(&needle.exact)))
            .filter(|needle| !lost.contains(needle.exact.as_str()) && !is_left_out(needle.turn))
            .map(|needle| needle.exact.clone())
            .collect()
    }

    /// How many questions the prompts made for their messages can answer.
    pub(crate) fn recall(&self, mut prompt_for: impl FnMut(&str) -> String) -> Score {
        let exact: BTreeMap<&str, String> = self
            .needles
            .iter()
            .map(|needle| (needle.id.as_str(), one_line(&needle.exact)))
            .collect();
        let mut score = Score::default();
        for question in &self.questions {
            let prompt = one_line(&prompt_for(&question.message));
            let is_kept = question
                .needles
                .iter()
                .all(|id| prompt.contains(&exact[id.as_str()]));
            score.count(&question.class, &question.id, is_kept);
        }
        score
    }
}

impl Score {
    fn count(&mut self, class: &str, id: &str, is_kept: bool) {
        let (n_kept, n_all) = self.classes.entry(class.to_owned()).or_default();
        *n_all += 1;
        *n_kept += usize::from(is_kept);
        if !is_kept {
            self.missing.push(id.to_owned());
        }
    }

    /// The share of a class that is kept; of nothing everything is.
    pub(crate) fn share(&self, class: &str) -> f64 {
        ratio(self.classes.get(class).copied().unwrap_or_default())
    }

    /// The share of all that is kept.
    pub(crate) fn total(&self) -> f64 {
        let sum = |left: (usize, usize), right: &(usize, usize)| (left.0 + right.0, left.1 + right.1);
        ratio(self.classes.values().fold((0, 0), sum))
    }

    /// For people.
    pub(crate) fn line(&self) -> String {
        let classes = self.classes.iter();
        let classes: Vec<String> = classes
            .map(|(class, (n_kept, n_all))| format!("{class} {n_kept}/{n_all}"))
            .collect();
        format!("{:.3}: {}", self.total(), classes.join(", "))
    }
}

/// A part of a whole; of nothing everything is kept.
fn ratio((n_kept, n_all): (usize, usize)) -> f64 {
    if n_all == 0 {
        1.0
    } else {
        n_kept as f64 / n_all as f64
    }
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a line of the corpus"))
        .collect()
}

/// Frames put a bar before lines that look like frames; a prompt is also looked at without it.
fn forms(prompt: &str) -> [String; 2] {
    let plain: Vec<&str> = prompt
        .split('\n')
        .map(|line| match line.strip_prefix('|') {
            Some(rest) if rest.trim_start_matches('|').starts_with("<<") => rest,
            _ => line,
        })
        .collect();
    [prompt.to_owned(), plain.join("\n")]
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
