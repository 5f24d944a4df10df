//! Which share of the needles a prompt keeps, beside other ways to shorten a conversation.

use std::error::Error;

use gemicro_core::history::ConversationLog;
use gemicro_core::tokens::TokenCount;

use super::corpus::{CLASSES, Kept, history, kept, needles, silent};
use super::rivals::RIVALS;
use super::table;
use super::vocabulary::Vocabulary;

const LIMITS: [u64; 5] = [2_000, 4_000, 8_000, 16_000, 32_000];
const N_TURNS: u64 = 500;

/// Never lost as long as there is room for them at all.
const NEVER_LOST: [&str; 3] = ["rule", "decision", "last-request"];

/// Prints the curve over the limits and the silent losses.
pub(crate) fn run(vocabulary: &Vocabulary, log: &ConversationLog) -> Result<(), Box<dyn Error>> {
    println!("needles kept after {N_TURNS} turns; ours with a summariser that says nothing");
    let all = needles(N_TURNS)?;
    let mut rows = Vec::new();
    let mut n_silent = 0;
    let mut whole_from = None;
    for limit in LIMITS {
        let ours = Ours::new(log, limit)?;
        n_silent += ours.n_silent;
        let kept_by_us = kept(&ours.prompt, &all);
        if !NEVER_LOST.iter().all(|class| is_whole(&kept_by_us, class)) {
            whole_from = None;
        } else if whole_from.is_none() {
            whole_from = Some(limit);
        }
        let name = format!("gemicro, {} compactions", ours.n_compactions);
        rows.push(row(limit, &name, vocabulary.tokens(&ours.prompt), &kept_by_us));
        for (name, rival) in RIVALS {
            let prompt = rival(vocabulary, log, limit);
            rows.push(row(limit, name, vocabulary.tokens(&prompt), &kept(&prompt, &all)));
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
    fn new(log: &ConversationLog, limit: u64) -> Result<Self, Box<dyn Error>> {
        let mut history = history(limit);
        let mut prompt = String::new();
        let mut n_silent = 0;
        for turn in log.turns() {
            history.add_turn(turn.clone());
            prompt = history.prompt().map(|result| result.prompt).unwrap_or_default();
            let is_due = turn.number % 50 == 0 && !prompt.is_empty();
            if let (true, Some(report)) = (is_due, history.report()) {
                n_silent += silent(&prompt, &report, &needles(turn.number)?);
            }
        }
        Ok(Self {
            prompt,
            n_compactions: history.compaction_count(),
            n_silent,
        })
    }
}

fn is_whole(kept: &Kept, class: &str) -> bool {
    kept.get(class).is_some_and(|(n_kept, n_all)| n_kept == n_all)
}

fn row(limit: u64, name: &str, tokens: u64, kept: &Kept) -> Vec<String> {
    let share = |(n_kept, n_all): (usize, usize)| format!("{:.3}", table::ratio(n_kept as u64, n_all as u64));
    let sum = kept
        .values()
        .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    let within = if tokens <= limit { "yes" } else { "NO" };
    let mut row = vec![
        format!("{limit:>5}  {name}"),
        tokens.to_string(),
        within.to_owned(),
        share(sum),
    ];
    row.extend(CLASSES.map(|class| share(kept.get(class).copied().unwrap_or_default())));
    row
}
