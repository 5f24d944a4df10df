//! Which share of the needles a prompt keeps, beside other ways to shorten a conversation.

use std::error::Error;

use gemicro_core::tokens::TokenCount;

use super::corpus::{CLASSES, history};
use super::measure::{Corpus, Score};
use super::rivals::RIVALS;
use super::table;
use super::vocabulary::Vocabulary;

const LIMITS: [u64; 5] = [2_000, 4_000, 8_000, 16_000, 32_000];
const N_TURNS: u64 = 500;

/// Never lost as long as there is room for them at all.
const NEVER_LOST: [&str; 3] = ["rule", "decision", "last-request"];

/// Prints the curve over the limits and the silent losses.
pub(crate) fn run(vocabulary: &Vocabulary, corpus: &Corpus) -> Result<(), Box<dyn Error>> {
    println!("needles kept after {N_TURNS} turns; ours with a summariser that says nothing");
    let mut rows = Vec::new();
    let mut n_silent = 0;
    let mut whole_from = None;
    for limit in LIMITS {
        let ours = Ours::new(corpus, limit);
        n_silent += ours.n_silent;
        let kept_by_us = corpus.retention(&ours.prompt, N_TURNS);
        if NEVER_LOST.iter().any(|class| kept_by_us.share(class) < 1.0) {
            whole_from = None;
        } else if whole_from.is_none() {
            whole_from = Some(limit);
        }
        let name = format!("gemicro, {} compactions", ours.n_compactions);
        rows.push(row(limit, &name, vocabulary.tokens(&ours.prompt), &kept_by_us));
        for (name, rival) in RIVALS {
            let prompt = rival(vocabulary, &corpus.log, limit);
            let score = corpus.retention(&prompt, N_TURNS);
            rows.push(row(limit, name, vocabulary.tokens(&prompt), &score));
        }
    }
    let mut headings = vec!["limit, way", "tokens", "within", "kept"];
    headings.extend(CLASSES);
    table::print(&headings, &rows);
    if let Some(limit) = whole_from {
        println!("  gemicro keeps all rules, all decisions and the last request from {limit} tokens on");
    }
    println!(
        "  missing needles that no report names, at every 50th turn of every limit: {n_silent} (bar 0: {})\n",
        table::verdict(n_silent == 0)
    );
    Ok(())
}

/// What our history comes to, turn by turn.
struct Ours {
    /// The last prompt; empty when it was refused.
    prompt: String,
    n_compactions: u64,
    n_silent: usize,
}

impl Ours {
    fn new(corpus: &Corpus, limit: u64) -> Self {
        let mut history = history(limit);
        let mut prompt = String::new();
        let mut n_silent = 0;
        for turn in corpus.log.turns() {
            history.add_turn(turn.clone());
            prompt = history.prompt().map(|result| result.prompt).unwrap_or_default();
            let is_due = turn.number % 50 == 0 && !prompt.is_empty();
            if let (true, Some(report)) = (is_due, history.report()) {
                n_silent += corpus.silent(&prompt, &report, turn.number).len();
            }
        }
        Self {
            prompt,
            n_compactions: history.compaction_count(),
            n_silent,
        }
    }
}

fn row(limit: u64, name: &str, tokens: u64, score: &Score) -> Vec<String> {
    let within = if tokens <= limit { "yes" } else { "NO" };
    let mut row = vec![
        format!("{limit:>5}  {name}"),
        tokens.to_string(),
        within.to_owned(),
        format!("{:.3}", score.total()),
    ];
    row.extend(CLASSES.map(|class| format!("{:.3}", score.share(class))));
    row
}
