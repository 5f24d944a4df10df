//! Checks that each artifact a phase reads exists when the phase begins, on every path to it.

use std::collections::BTreeSet;

use super::super::graph::Graph;
use super::super::model::{Phase, PhaseWork, Workflow, Writes};
use super::super::places::ProblemList;

/// The task itself; always available.
const REQUEST: &str = "request";
/// The changes of the branch; available once a role could change code.
const DIFF: &str = "diff";
/// The conflicts of a merge; available after the outcome `conflict`.
const CONFLICTS: &str = "conflicts";
const CONFLICT: &str = "conflict";

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    let always = there_on_every_path(workflow);
    let ever = ever_written(workflow);
    for (phase, always) in workflow.phases.iter().zip(always) {
        let (PhaseWork::Agent { reads, .. }, Some(always)) = (&phase.work, always) else {
            continue;
        };
        for read in reads {
            let artifact = read.artifact.as_str();
            let key = format!("phases.{}.reads.{artifact}", phase.name);
            if !ever.contains(artifact) {
                let known: Vec<&str> = ever.iter().copied().collect();
                let message = format!(
                    "undefined artifact: no phase writes it; there are {}",
                    known.join(", ")
                );
                report.add(key, message);
            } else if !read.optional && !always.contains(artifact) {
                let message = format!(
                    "undefined artifact on some path to this phase: write `{artifact}?` if it may be missing"
                );
                report.add(key, message);
            }
        }
    }
}

fn ever_written(workflow: &Workflow) -> BTreeSet<&str> {
    let written = workflow.phases.iter().flat_map(|phase| writes(workflow, phase));
    let merges = workflow.phases.iter().any(|phase| phase.work == PhaseWork::Merge);
    written
        .chain([REQUEST])
        .chain(merges.then_some(CONFLICTS))
        .collect()
}

/// Returns, for each reachable phase, the artifacts that certainly exist when it begins.
fn there_on_every_path(workflow: &Workflow) -> Vec<Option<BTreeSet<&str>>> {
    let graph = Graph::of(workflow);
    let mut there: Vec<Option<BTreeSet<&str>>> = vec![None; workflow.phases.len()];
    let mut open = Vec::new();
    for entry in &graph.entries {
        there[*entry] = Some(BTreeSet::from([REQUEST]));
        open.push(*entry);
    }
    // Sets only shrink, so this ends.
    while let Some(idx) = open.pop() {
        let phase = &workflow.phases[idx];
        let mut after = there[idx].clone().unwrap_or_default();
        after.extend(writes(workflow, phase));
        for edge in &graph.edges[idx] {
            let Some(to) = edge.to else { continue };
            let mut arriving = after.clone();
            if phase.work == PhaseWork::Merge && edge.word == CONFLICT {
                arriving.insert(CONFLICTS);
            }
            let met = match &there[to] {
                Some(before) => before.intersection(&arriving).copied().collect(),
                None => arriving,
            };
            if there[to].as_ref() != Some(&met) {
                there[to] = Some(met);
                open.push(to);
            }
        }
    }
    there
}

fn writes<'a>(workflow: &'a Workflow, phase: &'a Phase) -> Vec<&'a str> {
    let PhaseWork::Agent { role, document, .. } = &phase.work else {
        return Vec::new();
    };
    let codes = workflow
        .roles
        .get(role)
        .is_some_and(|role| role.sandbox == Writes::WorkspaceWrite);
    let own = document.is_some().then_some(phase.name.as_str());
    own.into_iter().chain(codes.then_some(DIFF)).collect()
}
