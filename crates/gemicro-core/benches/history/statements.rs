//! Statements whatever their words: what prompts keep of them with and without recognition, and what a message recalls.

use std::error::Error;
use std::path::Path;

use gemicro_core::history::ConversationLog;
use gemicro_core::history::HistoryManager;

use super::corpus::{CLASSES, history};
use super::measure::{Corpus, Score};
use super::table;

const LIMITS: [(u64, f64); 3] = [(4_000, 0.6), (8_000, 0.75), (16_000, 0.85)];

/// Prints retention, ablation and recall on both conversations.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    for name in ["conversation", "conversation-phrasings"] {
        measure(name, &Corpus::named(name), TableDetail::Figures)?;
    }
    Ok(())
}

/// Prints the same of a folder in the format of the corpus, and names what is missing.
pub(crate) fn run_folder(folder: &Path) -> Result<(), Box<dyn Error>> {
    let corpus = Corpus::load(folder);
    measure(&folder.display().to_string(), &corpus, TableDetail::Missing)
}

/// How much is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableDetail {
    Figures,
    /// Also every needle and question that is missing.
    Missing,
}

fn measure(name: &str, corpus: &Corpus, detail: TableDetail) -> Result<(), Box<dyn Error>> {
    println!(
        "{name}: needles in one prompt of the whole log, and questions that prompts for them can answer"
    );
    let mut rows = Vec::new();
    let mut verdicts = Vec::new();
    for (limit, bar) in LIMITS {
        let (seeing, n_silent) = kept(corpus, history(limit))?;
        let (blind, _) = kept(corpus, history(limit).without_recognition())?;
        let fall = seeing.total() - blind.total();
        let mut all = filled(history(limit), &corpus.log);
        let recalled = corpus.recall(|message| {
            all.drop_plan();
            all.build_prompt(message)
                .map(|result| result.prompt)
                .unwrap_or_default()
        });
        rows.push(row(format!("{limit:>5}  retention"), &seeing));
        rows.push(row(format!("{limit:>5}  nothing recognised"), &blind));
        rows.push(row(format!("{limit:>5}  recall"), &recalled));
        verdicts.push(format!(
            "  {limit:>5}: recall {} (bar {bar}: {}), recognition is worth {fall:.3}, {n_silent} losses not in the report",
            recalled.line(),
            table::verdict(recalled.total() >= bar)
        ));
        if detail == TableDetail::Missing {
            verdicts.push(format!(
                "         missing needles {:?}, unanswered {:?}",
                seeing.missing, recalled.missing
            ));
        }
        if limit == 16_000 {
            let least = ["rule", "decision", "done"].map(|class| seeing.share(class));
            let is_met = least.iter().all(|share| *share >= 0.9);
            verdicts.push(format!(
                "  {limit:>5}: rules, decisions and done at least 0.9 each: {}; without recognition at most 0.05 less: {}",
                table::verdict(is_met),
                table::verdict(fall <= 0.05)
            ));
        }
    }
    let mut headings = vec!["limit, what", "all"];
    headings.extend(CLASSES);
    table::print(&headings, &rows);
    println!("{}\n", verdicts.join("\n"));
    Ok(())
}

fn filled(mut history: HistoryManager, log: &ConversationLog) -> HistoryManager {
    for turn in log.turns() {
        history.add_turn(turn.clone());
    }
    history
}

/// What a prompt keeps, and how many losses its report does not name.
fn kept(corpus: &Corpus, history: HistoryManager) -> Result<(Score, usize), Box<dyn Error>> {
    let mut history = filled(history, &corpus.log);
    let prompt = history.prompt()?.prompt;
    let n_turns = corpus.log.len();
    let report = history.report().ok_or("no report after a prompt")?;
    let silent = corpus.silent(&prompt, &report, n_turns);
    Ok((corpus.retention(&prompt, n_turns), silent.len()))
}

fn row(name: String, score: &Score) -> Vec<String> {
    let mut row = vec![name, format!("{:.3}", score.total())];
    row.extend(CLASSES.map(|class| format!("{:.3}", score.share(class))));
    row
}
