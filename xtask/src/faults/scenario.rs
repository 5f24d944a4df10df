//! One scenario: a kind of run, a store, a fault, and the seed that decides where the fault happens.

use super::fault::InjectedFault;
use super::kind::RunKind;

/// Where runs are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StoreKind {
    Sqlite,
    Postgres,
}

impl StoreKind {
    pub(crate) const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FaultScenario {
    pub(crate) kind: RunKind,
    pub(crate) store: StoreKind,
    pub(crate) fault: InjectedFault,
    pub(crate) seed: u64,
}

impl FaultScenario {
    /// The command that runs only this scenario.
    pub(crate) fn command(&self) -> String {
        format!(
            "cargo xtask faults --kind {} --store {} --fault {} --seed {} --count 1",
            self.kind.name(),
            self.store.name(),
            self.fault.name(),
            self.seed
        )
    }
}

/// What was wrong after a scenario.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ScenarioFindings {
    /// Results that are missing or different.
    pub(crate) lost: Vec<String>,
    /// Work that was done or paid for twice.
    pub(crate) doubled: Vec<String>,
    /// Locks that were left.
    pub(crate) locks: Vec<String>,
    /// Processes that were left.
    pub(crate) processes: Vec<String>,
    /// Temporary files and folders that were left.
    pub(crate) files: Vec<String>,
    /// Work that was cut off and that gemicro reports as such, because it must not begin twice.
    pub(crate) n_reported: usize,
    /// Model calls that were repeated because the first one was cut off without an id.
    pub(crate) n_repeated: usize,
}

impl ScenarioFindings {
    /// Everything that is wrong, in one line; empty if nothing is.
    pub(crate) fn problems(&self) -> String {
        let all = [
            ("lost", &self.lost),
            ("doubled", &self.doubled),
            ("lock left", &self.locks),
            ("process left", &self.processes),
            ("file left", &self.files),
        ];
        let all = all.iter().filter(|(_, them)| !them.is_empty());
        let all: Vec<String> = all
            .map(|(name, them)| format!("{name}: {}", them.join(", ")))
            .collect();
        all.join("; ")
    }
}
