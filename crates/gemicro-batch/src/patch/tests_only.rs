//! Whether changes touch tests alone.
//!
//! A file is a test by its path ([`role_of`]); in any other Rust file only items under `#[cfg(test)]` may change
//! ([`without_tests`]). What builds the project is no test; a list of what is built is one inside a folder of tests.

use gemicro_event::{ErrorKind, Failure};

use super::apply::NewText;
use super::glob::matches;
use super::path::{PathError, check_path};
use super::strip::without_tests;
use super::test_path::{PathRole, role_of};

/// A change that is not one of tests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NotATest {
    /// The path leads where no patch may go.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file is part of the product.
    #[error("`{path}` is not named like a test: put tests in a folder `tests` or under `#[cfg(test)]`")]
    Product { path: String },
    /// The file says how the project is built or how a tool behaves.
    #[error("`{path}` belongs to the build or configures a tool: a proposed test may not change it")]
    Build { path: String },
    /// A Rust file changes outside its tests.
    #[error("`{path}` changes outside `#[cfg(test)]`, first at `{line}`: leave the code as it is")]
    Code {
        path: String,
        /// The first line that is different, as it is afterwards; `(end)` when there is none any more.
        line: String,
    },
}

impl From<NotATest> for Failure {
    fn from(error: NotATest) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}

/// Checks that every change is one of tests, or that the user allows it: `extra_test_paths` are files, folders or
/// patterns with `*`, `**` and `?` that count as tests whatever they are.
///
/// # Errors
/// With the first change that is none.
pub fn tests_only(changes: &[NewText], extra_test_paths: &[String]) -> Result<(), NotATest> {
    for change in changes {
        check_path(&change.path)?;
        let is_allowed = extra_test_paths
            .iter()
            .any(|pattern| matches(pattern, &change.path));
        if !is_allowed {
            check(change)?;
        }
    }
    Ok(())
}

fn check(change: &NewText) -> Result<(), NotATest> {
    let path = change.path.clone();
    match role_of(&path) {
        PathRole::Test => Ok(()),
        PathRole::Build => Err(NotATest::Build { path }),
        PathRole::Product if path.ends_with(".rs") => {
            let old = without_tests(change.old.as_deref().unwrap_or_default());
            let new = without_tests(&change.new);
            match first_difference(&old, &new) {
                None => Ok(()),
                Some(line) => Err(NotATest::Code { path, line }),
            }
        }
        PathRole::Product => Err(NotATest::Product { path }),
    }
}

fn first_difference(old: &str, new: &str) -> Option<String> {
    const MOST: usize = 120;
    if old == new {
        return None;
    }
    let n_same = old
        .lines()
        .zip(new.lines())
        .take_while(|(old, new)| old == new)
        .count();
    let line = new.lines().nth(n_same).unwrap_or("(end)");
    Some(line.trim().chars().take(MOST).collect())
}
