//! Changes in the user's repository while a step worked on a branch of it, and who can have caused them.
//!
//! The sandbox of every step on a branch keeps it away from the repository itself. So changed references and checkouts
//! come from the user: that is only noted. A change of something that git executes, while an agent or its code was at
//! work, is an alarm: it would be the sign of a hole in the sandbox.

use gemicro_core::ask::{RepositoryChange, RepositoryChanged};
use gemicro_core::execute::StepReporter;
use gemicro_guard::repository::{RepositoryError, Tripwire, TripwireChange};

/// The kind of worker in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepWorkerKind {
    /// An agent, or code that one wrote.
    Agent,
    /// Only gemicro's own code.
    Gemicro,
}

/// The report on changes in the user's repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TripwireReport {
    alarms: Vec<String>,
    changes: Vec<RepositoryChange>,
}

impl TripwireReport {
    /// The differences between two snapshots.
    pub(super) fn between(
        before: &Tripwire,
        after: Result<Tripwire, RepositoryError>,
        worker: StepWorkerKind,
    ) -> Self {
        match after {
            Ok(after) => Self::of(before.compare(&after), worker),
            Err(error) => Self {
                alarms: vec![format!("cannot check whether the repository changed: {error}")],
                changes: Vec::new(),
            },
        }
    }

    fn of(changes: Vec<TripwireChange>, worker: StepWorkerKind) -> Self {
        let mut tripped = Self::default();
        for change in changes.into_iter().filter(|change| !is_of_a_task(&change.what)) {
            if worker == StepWorkerKind::Agent && makes_git_act(&change.what) {
                tripped.alarms.push(alarm(&change));
            } else {
                tripped.changes.push(RepositoryChange {
                    what: change.what,
                    before: change.before,
                    after: change.after,
                });
            }
        }
        tripped
    }

    /// Writes it to the journal.
    pub fn tell(self, reporter: &StepReporter) {
        for message in self.alarms {
            reporter.alarm(message);
        }
        if !self.changes.is_empty() {
            let changes = self.changes;
            reporter.fact(&RepositoryChanged { changes });
        }
    }
}

/// Branches of other tasks are moved, and pushed, by their own runs.
fn is_of_a_task(what: &str) -> bool {
    let remote = what.strip_prefix("refs/remotes/");
    what.starts_with("refs/heads/task/") || remote.is_some_and(|name| name.contains("/task/"))
}

/// Whether it decides what git executes, or where it finds objects. Everything else says where references and checkouts
/// are.
fn makes_git_act(what: &str) -> bool {
    let first = what.split('/').next().unwrap_or(what);
    matches!(first, "config" | "config.worktree" | "hooks" | "objects") || what == "info/attributes"
}

fn alarm(change: &TripwireChange) -> String {
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    format!(
        "while the agent worked, {} of your repository changed from {} to {}: if that was not you, review it",
        change.what,
        shown(&change.before),
        shown(&change.after)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_reports(what: &str, worker: StepWorkerKind) -> (usize, usize) {
        let change = TripwireChange {
            what: what.to_owned(),
            before: None,
            after: Some("x".to_owned()),
        };
        let tripped = TripwireReport::of(vec![change], worker);
        (tripped.alarms.len(), tripped.changes.len())
    }

    #[test]
    fn an_alarm_is_for_what_makes_git_act_while_an_agent_works() {
        for what in [
            "config",
            "config.worktree",
            "hooks",
            "hooks/pre-commit",
            "info/attributes",
            "objects/info/alternates",
        ] {
            assert_eq!(count_reports(what, StepWorkerKind::Agent), (1, 0), "{what}");
            assert_eq!(count_reports(what, StepWorkerKind::Gemicro), (0, 1), "{what}");
        }
        for what in [
            "refs/heads/main",
            "refs/heads/feature/x",
            "refs/tags/v1",
            "refs/stash",
            "refs/remotes/origin/main",
            "HEAD",
            "HEAD of /projects/app",
            "packed-refs",
            "shallow",
            "info",
            "info/refs",
            "info/exclude",
            "settings of branches",
        ] {
            assert_eq!(count_reports(what, StepWorkerKind::Agent), (0, 1), "{what}");
            assert_eq!(count_reports(what, StepWorkerKind::Gemicro), (0, 1), "{what}");
        }
        for what in ["refs/heads/task/other", "refs/remotes/origin/task/other"] {
            assert_eq!(count_reports(what, StepWorkerKind::Agent), (0, 0), "{what}");
        }
    }
}
