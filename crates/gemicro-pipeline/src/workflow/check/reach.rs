//! Rejects phases that are unreachable, lead nowhere, or loop forever.

use super::super::graph::Graph;
use super::super::model::Workflow;
use super::super::places::ProblemList;

/// Maximum number of rounds that still counts as a limit for a loop.
const MOST_ROUNDS: u32 = 20;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    let graph = Graph::of(workflow);
    let (reached, ending) = (graph.reachable_phases(), graph.ending());
    for (idx, phase) in workflow.phases.iter().enumerate() {
        let key = format!("phases.{}", phase.name);
        if !reached[idx] {
            report.add(
                key,
                "unreachable phase: no mode leads to it; add an edge or leave it out",
            );
        } else if !ending[idx] {
            report.add(key, "no path from here to the end: some phase needs `next: end`");
        }
    }
    check_loops(workflow, &graph, report);
}

/// Requires that every loop has a phase with a limited number of rounds.
fn check_loops(workflow: &Workflow, graph: &Graph<'_>, report: &mut ProblemList) {
    let phases = &workflow.phases;
    let mut unbounded: Vec<bool> = phases.iter().map(|phase| phase.rounds > MOST_ROUNDS).collect();
    for start in 0..phases.len() {
        if !unbounded[start] {
            continue;
        }
        let Some(found) = graph.loop_from(start, &unbounded) else {
            continue;
        };
        let around = found.iter().chain([&start]);
        let names: Vec<&str> = around.map(|idx| phases[*idx].name.as_str()).collect();
        let message = format!(
            "unbounded loop {}: one of them needs `rounds` from 1 to {MOST_ROUNDS}",
            names.join(" → ")
        );
        report.add(format!("phases.{}.rounds", phases[start].name), message);
        for idx in found {
            unbounded[idx] = false;
        }
    }
}
