//! The positions of keys in a workflow file, and the list of its problems.
//!
//! The main types are [`KeyPlaces`] and [`ProblemList`].

use std::collections::BTreeMap;

use serde_saphyr::Spanned;

use super::error::WorkflowProblem;

/// Lines and columns by key, such as `phases.plan.next`.
#[derive(Debug, Default)]
pub(super) struct KeyPlaces(BTreeMap<String, (u64, u64)>);

impl KeyPlaces {
    /// Records the position of a key or its value.
    pub(super) fn note<T>(&mut self, key: impl Into<String>, value: &Spanned<T>) {
        let place = (value.referenced.line(), value.referenced.column());
        self.0.insert(key.into(), place);
    }

    /// The position of a key or, if the file does not contain it, of its nearest enclosing key.
    fn of(&self, key: &str) -> (u64, u64) {
        let mut key = key;
        loop {
            if let Some(place) = self.0.get(key) {
                return *place;
            }
            match key.rsplit_once('.') {
                Some((around, _)) => key = around,
                None => return (1, 1),
            }
        }
    }
}

/// The problems of one file.
#[derive(Debug, Default)]
pub(super) struct ProblemList {
    pub(super) places: KeyPlaces,
    problems: Vec<WorkflowProblem>,
}

impl ProblemList {
    /// Adds a problem with a key.
    pub(super) fn add(&mut self, key: impl Into<String>, message: impl Into<String>) {
        let key = key.into();
        let (line, column) = self.places.of(&key);
        self.problems.push(WorkflowProblem {
            line,
            column,
            key,
            message: message.into(),
        });
    }

    /// Returns true if there are no problems so far.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns all problems, in file order.
    pub(super) fn into_problems(mut self) -> Vec<WorkflowProblem> {
        self.problems.sort();
        self.problems.dedup();
        self.problems
    }
}
