//! Checks that changes touch only tests.
//!
//! A file is a test by its path ([`role_of`]); in any other Rust file only items under `#[cfg(test)]` may change
//! ([`without_tests`]). Build files are not tests, except build lists inside a test folder.

use gemicro_event::{ErrorKind, Failure};

use super::apply::NewText;
use super::glob::matches;
use super::path::{PathError, check_path};
use super::strip::without_tests;
use super::test_path::{PathRole, role_of};

/// A change outside the tests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NotATest {
    /// The path is not allowed in a patch.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file is part of the product.
    #[error("`{path}` is not named like a test: put tests in a folder `tests` or under `#[cfg(test)]`")]
    Product { path: String },
    /// The file controls the build or configures a tool.
    #[error("`{path}` belongs to the build or configures a tool: a proposed test may not change it")]
    Build { path: String },
    /// A Rust file changes outside its tests.
    #[error("`{path}` changes outside `#[cfg(test)]`, first at `{line}`: leave the code as it is")]
    Code {
        path: String,
        /// The first different line of the new text; `(end)` if it ends there.
        line: String,
    },
}

impl From<NotATest> for Failure {
    fn from(error: NotATest) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}

/// Checks that every change is to a test. `extra_test_paths` are files, folders or patterns with `*`, `**` and `?` that
/// also count as tests.
///
/// # Errors
/// With the first change that is not to a test.
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
