//! Scores research on an ordinary folder: `docs/`, and `questions.jsonl` with the strings that an answer must contain.
//!
//! An answer is right if it contains all strings of one alternative, and wrong otherwise. The main types are [`Folder`]
//! and [`FolderMeasures`].

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::answers::{ScoredAnswer, ScoredAnswers, ScoredCitation};
use super::corpus::read_folder;
use super::measures::Ratio;
use super::normal::{collapse, has_terms};

/// Documents and labelled questions.
#[derive(Debug)]
pub(crate) struct Folder {
    /// By path from `docs/`: the forms of its text.
    documents: BTreeMap<String, Vec<String>>,
    pub(crate) questions: Vec<FolderQuestion>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct FolderQuestion {
    id: String,
    #[serde(default)]
    question: String,
    label: QuestionLabel,
    /// Alternatives; all strings of one must appear.
    #[serde(default)]
    answers: Vec<Vec<String>>,
    /// Documents that contain the answer.
    #[serde(default)]
    docs: Vec<String>,
}

/// What is needed to answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuestionLabel {
    Sentence,
    Table,
    Several,
    Contradiction,
    Unanswerable,
}

/// The scores of a run over a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FolderMeasures {
    /// Answerable questions with a right answer, with a wrong answer, and with the right passage shown.
    pub(crate) right: Ratio,
    pub(crate) wrong: Ratio,
    pub(crate) passage: Ratio,
    /// Unanswerable questions that got an answer.
    pub(crate) unanswerable_answered: Ratio,
    /// Contradictions shown with both sides.
    pub(crate) both_sides: Ratio,
    /// Quotes, cited or related, that are not in their document.
    pub(crate) fabricated: usize,
    pub(crate) right_by_label: BTreeMap<QuestionLabel, Ratio>,
    /// The answers that were not right, one line each.
    pub(crate) misses: Vec<String>,
}

impl Folder {
    /// Reads `docs/` and `questions.jsonl` of a folder.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let mut documents = BTreeMap::new();
        read_folder(&folder.join("docs"), "", &mut documents)?;
        let path = folder.join("questions.jsonl");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let lines = text.lines().filter(|line| !line.trim().is_empty()).enumerate();
        let questions = lines
            .map(|(idx, line)| serde_json::from_str(line).with_context(|| format!("question {}", idx + 1)))
            .collect::<Result<_>>()?;
        Ok(Self { documents, questions })
    }

    /// Whether a folder has labelled questions; corpora with gold spans have none.
    pub(crate) fn is_ordinary(folder: &Path) -> Result<bool> {
        let path = folder.join("questions.jsonl");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("{}");
        let question: serde_json::Value = serde_json::from_str(first).context("question 1")?;
        Ok(question.get("label").is_some())
    }

    pub(crate) fn measure(&self, answers: &ScoredAnswers) -> FolderMeasures {
        let mut measures = FolderMeasures::default();
        for question in &self.questions {
            self.add(&mut measures, question, &answers.get(&question.id));
        }
        measures
    }

    fn add(&self, measures: &mut FolderMeasures, question: &FolderQuestion, answer: &ScoredAnswer) {
        let is_answered = !answer.citations().is_empty();
        let quotes = || answer.citations().iter().chain(answer.related_passages());
        measures.fabricated += quotes().filter(|quote| !self.verifies(quote)).count();
        let verdict = if question.label == QuestionLabel::Unanswerable {
            measures.unanswerable_answered.add(usize::from(is_answered), 1);
            is_answered.then_some("answered without evidence")
        } else {
            let is_right = is_answered && question.is_in(answer.text());
            let shows = is_right || self.shows_passage(question, quotes());
            measures.right.add(usize::from(is_right), 1);
            measures.wrong.add(usize::from(is_answered && !is_right), 1);
            measures.passage.add(usize::from(shows), 1);
            let by_label = measures.right_by_label.entry(question.label).or_default();
            by_label.add(usize::from(is_right), 1);
            if question.label == QuestionLabel::Contradiction {
                measures.both_sides.add(usize::from(is_right), 1);
            }
            match (is_right, is_answered, shows) {
                (true, ..) => None,
                (_, true, _) => Some("WRONG"),
                (_, _, true) => Some("passage shown"),
                _ => Some("passage missing"),
            }
        };
        if let Some(verdict) = verdict {
            let line = format!(
                "{} {:?}, {verdict}: {}",
                question.id, question.label, question.question
            );
            measures.misses.push(line);
        }
    }

    fn verifies(&self, quote: &ScoredCitation) -> bool {
        let (Some(doc), Some(span)) = (&quote.doc, &quote.span) else {
            return false;
        };
        let span = collapse(span);
        let forms = self.documents.get(doc);
        !span.is_empty() && forms.is_some_and(|forms| forms.iter().any(|form| form.contains(&span)))
    }

    /// Whether quotes from the right documents contain an answer; if it must be computed, any such quote is enough.
    fn shows_passage<'a>(
        &self,
        question: &FolderQuestion,
        quotes: impl Iterator<Item = &'a ScoredCitation>,
    ) -> bool {
        let right = quotes.filter(|quote| quote.doc.as_ref().is_some_and(|doc| question.docs.contains(doc)));
        let shown: Vec<&str> = right.filter_map(|quote| quote.span.as_deref()).collect();
        let texts = question.docs.iter().filter_map(|doc| self.documents.get(doc));
        let whole: Vec<String> = texts.flatten().cloned().collect();
        question.is_in(&shown.join("\n")) || !shown.is_empty() && !question.is_in(&whole.join("\n"))
    }
}

impl FolderQuestion {
    fn is_in(&self, text: &str) -> bool {
        self.answers.iter().any(|strings| has_terms(text, strings))
    }
}

/// Shares that folders must reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FolderBars {
    right: f64,
    passage: f64,
    both_sides: f64,
    wrong: f64,
    unanswerable: f64,
}

impl FolderBars {
    /// The goal for research on any folder; printed for each folder.
    pub(crate) const GOAL: Self = Self {
        right: 0.7,
        passage: 0.9,
        both_sides: 0.9,
        wrong: 0.03,
        unanswerable: 0.05,
    };
    /// The minimum for all folders together.
    pub(crate) const FLOOR: Self = Self {
        right: 0.52,
        passage: 0.78,
        both_sides: 0.35,
        wrong: 0.09,
        unanswerable: 0.2,
    };
}

impl FolderMeasures {
    /// Adds the figures of another folder.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, ratio) in [
            (&mut self.right, other.right),
            (&mut self.wrong, other.wrong),
            (&mut self.passage, other.passage),
            (&mut self.unanswerable_answered, other.unanswerable_answered),
            (&mut self.both_sides, other.both_sides),
        ] {
            sum.add(ratio.hits, ratio.total);
        }
        self.fabricated += other.fabricated;
    }

    /// Every bar that is missed, one sentence each.
    pub(crate) fn missed_bars(&self, bars: FolderBars) -> Vec<String> {
        let mut missed = Vec::new();
        if self.fabricated > 0 {
            missed.push(format!("{} fabricated quotes", self.fabricated));
        }
        for (name, ratio, least) in [
            ("answered right", self.right, bars.right),
            ("right passage shown", self.passage, bars.passage),
            ("contradictions with both sides", self.both_sides, bars.both_sides),
        ] {
            if ratio.share().is_some_and(|share| share < least) {
                missed.push(format!(
                    "{name}: {}/{} is below {least:.2}",
                    ratio.hits, ratio.total
                ));
            }
        }
        for (name, ratio, most) in [
            ("answered wrong", self.wrong, bars.wrong),
            (
                "unanswerable answered",
                self.unanswerable_answered,
                bars.unanswerable,
            ),
        ] {
            if ratio.share().is_some_and(|share| share > most) {
                missed.push(format!(
                    "{name}: {}/{} is above {most:.2}",
                    ratio.hits, ratio.total
                ));
            }
        }
        missed
    }
}
