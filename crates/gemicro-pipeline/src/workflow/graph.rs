//! The phases as a graph. An edge `back` leads to every phase that leads here.
//!
//! The main type is [`Graph`]. Edges to unknown phases are left out; they are reported elsewhere.

use super::model::{EdgeTarget, Workflow};

/// Phases by their index in the file, and the edges between them.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    /// The edges of each phase.
    pub(super) edges: Vec<Vec<Edge<'a>>>,
    /// The first phases of all modes.
    pub(super) entries: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge<'a> {
    /// The outcome for this edge.
    pub(super) word: &'a str,
    /// The next phase; `None` for the end.
    pub(super) to: Option<usize>,
}

impl<'a> Graph<'a> {
    /// The graph of a workflow.
    pub(super) fn of(workflow: &'a Workflow) -> Self {
        let idx_of = |name: &str| workflow.phases.iter().position(|phase| phase.name == name);
        let edges = workflow.phases.iter().map(|phase| {
            let found = phase.edges.iter().flat_map(|(word, target)| {
                let targets: Vec<Option<usize>> = match target {
                    EdgeTarget::End => vec![None],
                    EdgeTarget::Phase(name) => idx_of(name).map(Some).into_iter().collect(),
                    EdgeTarget::Back => leading_to(workflow, &phase.name).into_iter().map(Some).collect(),
                };
                targets.into_iter().map(move |to| Edge { word, to })
            });
            found.collect()
        });
        Self {
            edges: edges.collect(),
            entries: workflow.modes.values().filter_map(|name| idx_of(name)).collect(),
        }
    }

    /// Returns which phases are reachable from any mode.
    pub(super) fn reachable_phases(&self) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut open = self.entries.clone();
        while let Some(idx) = open.pop() {
            if !std::mem::replace(&mut reached[idx], true) {
                open.extend(self.edges[idx].iter().filter_map(|edge| edge.to));
            }
        }
        reached
    }

    /// Returns the phases from which the end can be reached.
    pub(super) fn ending(&self) -> Vec<bool> {
        let mut ending = vec![false; self.edges.len()];
        loop {
            let before = ending.clone();
            for (idx, edges) in self.edges.iter().enumerate() {
                ending[idx] |= edges.iter().any(|edge| edge.to.is_none_or(|to| before[to]));
            }
            if ending == before {
                return ending;
            }
        }
    }

    /// Returns a loop from a phase back to itself through `allowed` phases, without repeating the first one.
    pub(super) fn loop_from(&self, start: usize, allowed: &[bool]) -> Option<Vec<usize>> {
        let mut seen = vec![false; self.edges.len()];
        let mut paths = std::collections::VecDeque::from([vec![start]]);
        while let Some(path) = paths.pop_front() {
            let last = *path.last().expect("a path begins with its start");
            for to in self.edges[last].iter().filter_map(|edge| edge.to) {
                if to == start {
                    return Some(path);
                }
                if allowed[to] && !std::mem::replace(&mut seen[to], true) {
                    let mut longer = path.clone();
                    longer.push(to);
                    paths.push_back(longer);
                }
            }
        }
        None
    }
}

/// Returns the phases with an edge to this one, except edges `back`.
pub(super) fn leading_to(workflow: &Workflow, name: &str) -> Vec<usize> {
    let leads = |target: &EdgeTarget| matches!(target, EdgeTarget::Phase(to) if to == name);
    let phases = workflow.phases.iter().enumerate();
    phases
        .filter(|(_, phase)| phase.edges.values().any(leads))
        .map(|(idx, _)| idx)
        .collect()
}
