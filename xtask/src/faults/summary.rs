//! The table of all scenarios, in Markdown.

use std::collections::BTreeMap;

use super::fault::InjectedFault;
use super::kind::RunKind;
use super::scenario::{FaultScenario, ScenarioFindings, StoreKind};

/// Counts of one kind of run, store and fault.
#[derive(Debug, Default, Clone, Copy)]
struct SummaryRow {
    n_scenarios: usize,
    n_lost: usize,
    n_doubled: usize,
    n_locks: usize,
    n_processes: usize,
    n_files: usize,
    n_reported: usize,
    n_repeated: usize,
}

/// The results so far.
#[derive(Debug, Default)]
pub(crate) struct FaultSummary {
    rows: BTreeMap<(RunKind, StoreKind, InjectedFault), SummaryRow>,
}

impl FaultSummary {
    pub(crate) fn add(&mut self, scenario: &FaultScenario, findings: &ScenarioFindings) {
        let key = (scenario.kind, scenario.store, scenario.fault);
        let row = self.rows.entry(key).or_default();
        row.n_scenarios += 1;
        row.n_lost += usize::from(!findings.lost.is_empty());
        row.n_doubled += usize::from(!findings.doubled.is_empty());
        row.n_locks += usize::from(!findings.locks.is_empty());
        row.n_processes += usize::from(!findings.processes.is_empty());
        row.n_files += usize::from(!findings.files.is_empty());
        row.n_reported += findings.n_reported;
        row.n_repeated += findings.n_repeated;
    }

    pub(crate) fn n_scenarios(&self) -> usize {
        self.rows.values().map(|row| row.n_scenarios).sum()
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| run | store | fault | scenarios | lost | doubled | locks left | processes left | files left | reported | calls repeated |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let mut total = SummaryRow::default();
        for ((kind, store, fault), row) in &self.rows {
            text += &line(&[kind.name(), store.name(), fault.name()], row);
            total.n_scenarios += row.n_scenarios;
            total.n_lost += row.n_lost;
            total.n_doubled += row.n_doubled;
            total.n_locks += row.n_locks;
            total.n_processes += row.n_processes;
            total.n_files += row.n_files;
            total.n_reported += row.n_reported;
            total.n_repeated += row.n_repeated;
        }
        text + &line(&["all", "", ""], &total)
    }
}

fn line(names: &[&str], row: &SummaryRow) -> String {
    let counts = [
        row.n_scenarios,
        row.n_lost,
        row.n_doubled,
        row.n_locks,
        row.n_processes,
        row.n_files,
        row.n_reported,
        row.n_repeated,
    ];
    let counts = counts.iter().map(usize::to_string);
    let cells: Vec<String> = names.iter().map(ToString::to_string).chain(counts).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_counts_scenarios_not_problems() {
        let scenario = FaultScenario {
            kind: RunKind::Offline,
            store: StoreKind::Sqlite,
            fault: InjectedFault::KillWrite,
            seed: 1,
        };
        let mut summary = FaultSummary::default();
        summary.add(&scenario, &ScenarioFindings::default());
        let lost = vec!["one".to_owned(), "two".to_owned()];
        summary.add(
            &scenario,
            &ScenarioFindings {
                lost,
                ..ScenarioFindings::default()
            },
        );
        let expected = "| offline | sqlite | kill-write | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |";
        assert!(summary.markdown().contains(expected), "{}", summary.markdown());
    }
}
