//! Research without a model on ordinary folders: notes, tables, repositories.

use super::outcome::count;
use crate::score::{Folder, FolderBars, FolderMeasures, Ratio, ScoredAnswers};

/// Scores the answers for one folder and prints the figures and the missed goals.
pub(crate) fn report(folder: &Folder, answers: &ScoredAnswers) -> FolderMeasures {
    let measures = folder.measure(answers);
    print(&measures);
    for goal in measures.missed_bars(FolderBars::GOAL) {
        println!("  short of the goal: {goal}");
    }
    measures
}

pub(crate) fn print(measures: &FolderMeasures) {
    let line = |name: &str, ratio: Ratio| {
        let share = ratio
            .share()
            .map_or_else(String::new, |share| format!("  {share:.3}"));
        println!("  {name:<32} {:>7}{share}", count(ratio));
    };
    line("answered right", measures.right);
    for (label, ratio) in &measures.right_by_label {
        line(&format!("  {label:?}").to_lowercase(), *ratio);
    }
    line("answered wrong", measures.wrong);
    line("right passage shown", measures.passage);
    line("unanswerable answered", measures.unanswerable_answered);
    line("contradictions with both sides", measures.both_sides);
    println!("  {:<32} {:>7}", "fabricated quotes", measures.fabricated);
    for miss in &measures.misses {
        println!("    {miss}");
    }
    println!();
}
