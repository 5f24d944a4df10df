//! The dependency graph of a batch: named dependencies, and those implied by references.

use std::collections::HashMap;

use serde_json::Value;

use super::error::BatchError;
use super::limits::{MAX_ALL_DEPENDENCIES, MAX_DEPENDENCIES};
use super::submitted_batch::Task;
use crate::reference::{may_refer, references_in};

/// Maximum number of tasks of a cycle that an error lists.
const NAMED: usize = 50;

/// The dependencies of a batch. Tasks are identified by their index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edges {
    /// The tasks that each task depends on, without duplicates.
    pub(crate) needs: Vec<Vec<u32>>,
    /// Whether the output of each task is used by another one.
    pub(crate) is_referred: Vec<bool>,
}

/// Finds the dependencies of a batch. `places` is the JSON pointer of its tasks: empty, or `/tasks`.
pub(crate) fn edges(tasks: &[Task], places: &str) -> Result<Edges, BatchError> {
    let by_id = by_id(tasks, places)?;
    let mut is_referred = vec![false; tasks.len()];
    let mut needs = Vec::with_capacity(tasks.len());
    let mut n_all = 0;
    for (idx, task) in tasks.iter().enumerate() {
        let mut of_task = Vec::with_capacity(task.depends_on.len());
        let named = task.depends_on.iter().enumerate();
        let named = named.map(|(at, task_id)| (format!("/depends_on/{at}"), task_id.clone(), false));
        let referred = references(task).into_iter();
        let referred = referred.map(|(place, task_id)| (format!("/parameters{place}"), task_id, true));
        for (place, task_id, is_reference) in named.chain(referred) {
            let Some(needed) = by_id.get(task_id.as_str()) else {
                let place = format!("{places}/{idx}{place}");
                return Err(BatchError::UnknownDependency { place, task_id });
            };
            is_referred[*needed as usize] |= is_reference;
            of_task.push(*needed);
        }
        of_task.sort_unstable();
        of_task.dedup();
        n_all += of_task.len();
        let too_many = |most| BatchError::TooMany {
            place: format!("{places}/{idx}"),
            what: format!("{} dependencies", of_task.len()),
            most,
        };
        if of_task.len() > MAX_DEPENDENCIES {
            return Err(too_many(MAX_DEPENDENCIES));
        }
        if n_all > MAX_ALL_DEPENDENCIES {
            return Err(too_many(MAX_ALL_DEPENDENCIES));
        }
        needs.push(of_task);
    }
    match cycle(&needs) {
        None => Ok(Edges { needs, is_referred }),
        Some(round) => {
            let n_tasks = round.len();
            let mut names: Vec<String> = round
                .into_iter()
                .take(NAMED)
                .map(|idx| tasks[idx as usize].task_id.clone())
                .collect();
            if n_tasks > NAMED {
                names.push(format!("{} more", n_tasks - NAMED));
            }
            names.push(names[0].clone());
            Err(BatchError::Cycle { tasks: names })
        }
    }
}

fn by_id<'t>(tasks: &'t [Task], places: &str) -> Result<HashMap<&'t str, u32>, BatchError> {
    let mut by_id = HashMap::with_capacity(tasks.len());
    for (idx, task) in (0u32..).zip(tasks) {
        if let Some(first) = by_id.insert(task.task_id.as_str(), idx) {
            return Err(BatchError::DuplicateTask {
                place: format!("{places}/{idx}/task_id"),
                task_id: task.task_id.clone(),
                first: first as usize + 1,
            });
        }
    }
    Ok(by_id)
}

/// The references in a task's parameters: JSON pointers and task ids.
fn references(task: &Task) -> Vec<(String, String)> {
    let text = task.parameters.text();
    if !may_refer(text) {
        return Vec::new();
    }
    // Parameters nested too deeply to parse are rejected later, by the task type.
    let parameters: Value = serde_json::from_str(text).unwrap_or_default();
    let found = references_in(&parameters).into_iter();
    found.map(|(place, it)| (place, it.task_id)).collect()
}

/// Finds a dependency cycle, if there is one: each task in it depends on the next.
fn cycle(needs: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut n_missing: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<u32>> = vec![Vec::new(); needs.len()];
    for (idx, of_task) in (0u32..).zip(needs) {
        for needed in of_task {
            dependents[*needed as usize].push(idx);
        }
    }
    let all = 0u32..;
    let mut free: Vec<u32> = all
        .zip(&n_missing)
        .filter(|(_, n)| **n == 0)
        .map(|(idx, _)| idx)
        .collect();
    while let Some(idx) = free.pop() {
        for dependent in &dependents[idx as usize] {
            n_missing[*dependent as usize] -= 1;
            if n_missing[*dependent as usize] == 0 {
                free.push(*dependent);
            }
        }
    }
    // Every remaining task depends on another remaining one, so following these dependencies ends in a cycle.
    let is_left = |idx: u32| n_missing[idx as usize] > 0;
    let mut at = u32::try_from(n_missing.iter().position(|n| *n > 0)?).ok()?;
    let mut place_on_way = vec![None; needs.len()];
    let mut way = Vec::new();
    loop {
        if let Some(start) = place_on_way[at as usize] {
            return Some(way.split_off(start));
        }
        place_on_way[at as usize] = Some(way.len());
        way.push(at);
        at = needs[at as usize]
            .iter()
            .copied()
            .find(|needed| is_left(*needed))?;
    }
}
