//! The same once more as an ordinary user: this binary starts itself with another user's rights.
//!
//! Who is no root is an ordinary user already, and runs the tests as such.

use std::process::Command;

use crate::world::text;

/// A number that nobody has.
const USER: &str = "61234";

/// Runs tests of this binary as an ordinary user.
pub(crate) fn as_ordinary_user(tests: &[&str]) {
    let is_root = rustix::process::getuid().is_root();
    let program = std::env::current_exe().unwrap();
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", USER, "--regid", USER, "--clear-groups", "--"])
            .arg(program);
        command
    } else {
        Command::new(program)
    };
    let scratch = tempfile::tempdir().unwrap();
    if is_root {
        std::os::unix::fs::chown(scratch.path(), Some(61_234), Some(61_234)).unwrap();
    }
    let output = command
        .args(tests)
        .args(["--exact", "--include-ignored", "--nocapture", "--test-threads=1"])
        .env("TMPDIR", scratch.path())
        .env("GUARD_CANARY", "1")
        .output()
        .unwrap();
    let said = text(&output);
    let expected = format!("{} passed", tests.len());
    assert!(output.status.success() && said.contains(&expected), "{said}");
}

#[test]
fn cases_in_tier_full() {
    as_ordinary_user(&["cases::by_walls_in_tier_full"]);
}

#[test]
fn cases_in_tier_landlock() {
    as_ordinary_user(&["cases::by_walls_in_tier_landlock"]);
}

#[test]
fn plants() {
    as_ordinary_user(&[
        "plants::harmless_in_tier_full",
        "plants::harmless_in_tier_landlock",
    ]);
}

#[test]
fn tasks_and_rebuilding() {
    as_ordinary_user(&[
        "repository_kinds::an_ordinary_repository",
        "tasks::a_task_is_rebuilt_from_its_last_import",
        "intake::a_full_disk_below_the_task",
        "open::repositories_of_others_are_refused",
    ]);
}

#[test]
fn merges_and_reviews() {
    as_ordinary_user(&[
        "merges::a_conflict_is_left_for_the_agent",
        "reviews::a_reviewer_writes_its_folder_alone",
        "reviews::what_is_handed_over_can_be_read_and_not_written",
        "remotes::main_is_what_the_remote_says_now",
    ]);
}

#[test]
#[ignore = "the whole list takes long: cargo nextest run -p gemicro-guard --test repository --run-ignored all"]
fn all_cases() {
    as_ordinary_user(&["cases::all_in_tier_full", "cases::all_in_tier_landlock"]);
}
