//! Which scenarios are run: a selection for every change, or the full matrix.

use super::arguments::FaultArguments;
use super::fault::InjectedFault;
use super::kind::RunKind;
use super::scenario::{FaultScenario, StoreKind};

/// The scenarios that the arguments ask for, in an order that mixes the kinds.
///
/// `n_commits` is the number of commits of an undisturbed run.
pub(crate) fn scenarios(
    arguments: &FaultArguments,
    n_commits: impl Fn(RunKind, StoreKind) -> u64,
) -> Vec<FaultScenario> {
    let mut found = Vec::new();
    for store in StoreKind::ALL {
        for kind in RunKind::ALL {
            for fault in InjectedFault::ALL {
                let is_asked = arguments.store.is_none_or(|it| it == store)
                    && arguments.kind.is_none_or(|it| it == kind)
                    && arguments.fault.is_none_or(|it| it == fault);
                if !is_asked || !fault.applies(kind, store) {
                    continue;
                }
                let count = match (arguments.count, arguments.all) {
                    (Some(count), _) => count,
                    (None, true) if fault == InjectedFault::KillCommit && store == StoreKind::Sqlite => {
                        n_commits(kind, store)
                    }
                    (None, true) => full(kind, store, fault),
                    // What is asked for by name is run, however long it takes.
                    (None, false) if arguments.fault.is_some() && arguments.kind.is_some() => 10,
                    (None, false) => count_in_selection(kind, store, fault),
                };
                found.extend((0..count).map(|number| FaultScenario {
                    kind,
                    store,
                    fault,
                    seed: arguments.seed.wrapping_add(number),
                }));
            }
        }
    }
    found.sort_by_key(|scenario| scenario.seed);
    found
}

/// Scenarios of the selection: about three minutes on two cores.
fn count_in_selection(kind: RunKind, store: StoreKind, fault: InjectedFault) -> u64 {
    let is_quick = matches!(
        kind,
        RunKind::Offline | RunKind::Research | RunKind::Chat | RunKind::Batch
    );
    match (store, kind, fault) {
        (StoreKind::Postgres, RunKind::Offline | RunKind::Batch, InjectedFault::KillWrite) => 3,
        (StoreKind::Postgres, RunKind::Offline, InjectedFault::ServerRestart) => 1,
        (StoreKind::Postgres, ..) => 0,
        (StoreKind::Sqlite, RunKind::Pipeline, InjectedFault::KillWrite | InjectedFault::KillTime) => 1,
        (StoreKind::Sqlite, RunKind::Pipeline, _) => 0,
        (StoreKind::Sqlite, RunKind::Ooda, InjectedFault::KillWrite | InjectedFault::KillTime) => 1,
        (StoreKind::Sqlite, RunKind::Ooda, _) => 0,
        (
            StoreKind::Sqlite,
            _,
            InjectedFault::KillCommit | InjectedFault::KillWrite | InjectedFault::KillTime,
        ) if is_quick => 10,
        (
            StoreKind::Sqlite,
            _,
            InjectedFault::KillCommit | InjectedFault::KillWrite | InjectedFault::KillTime,
        ) => 4,
        (
            StoreKind::Sqlite,
            _,
            InjectedFault::NetHalfOpen | InjectedFault::AgentHang | InjectedFault::AgentFlood,
        ) => 1,
        (StoreKind::Sqlite, ..) if is_quick => 2,
        (StoreKind::Sqlite, ..) => 1,
    }
}

/// Scenarios of the full matrix. With SQLite a run is killed after each of its commits instead.
fn full(kind: RunKind, store: StoreKind, fault: InjectedFault) -> u64 {
    let of_kind = match kind {
        RunKind::Offline => 1_600,
        RunKind::Research => 700,
        RunKind::Batch => 500,
        RunKind::Chat => 300,
        RunKind::Prompt => 200,
        RunKind::Ooda => 60,
        RunKind::Pipeline => 30,
    };
    let share = match fault {
        InjectedFault::KillCommit | InjectedFault::KillWrite | InjectedFault::KillTime => 1,
        InjectedFault::TornWrite | InjectedFault::TornPage | InjectedFault::BitFlip => 4,
        InjectedFault::KillAgent
        | InjectedFault::KillBoth
        | InjectedFault::KillWorker
        | InjectedFault::FullDisk
        | InjectedFault::Locked
        | InjectedFault::Clock => 8,
        InjectedFault::ServerRestart
        | InjectedFault::NetRefused
        | InjectedFault::NetReset
        | InjectedFault::NetSlow
        | InjectedFault::NetHalfOpen
        | InjectedFault::NetCut
        | InjectedFault::AgentHang
        | InjectedFault::AgentFlood
        | InjectedFault::AgentGarbage
        | InjectedFault::AgentEmpty => 20,
    };
    let of_store = match store {
        StoreKind::Sqlite => 1,
        // The lease of a dead process lasts ten seconds in a shared store.
        StoreKind::Postgres => 4,
    };
    u64::max(of_kind / share / of_store, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(arguments: &FaultArguments) -> Vec<FaultScenario> {
        scenarios(arguments, |_, _| 20)
    }

    #[test]
    fn the_full_matrix_has_every_fault_of_every_kind() {
        let all = FaultArguments {
            all: true,
            ..FaultArguments::DEFAULT
        };
        let planned = planned(&all);
        assert!(planned.len() >= 11_000, "{}", planned.len());
        for fault in InjectedFault::ALL {
            assert!(
                planned.iter().any(|scenario| scenario.fault == fault),
                "{fault:?}"
            );
        }
        for kind in RunKind::ALL {
            assert!(planned.iter().any(|scenario| scenario.kind == kind), "{kind:?}");
        }
    }

    #[test]
    fn one_scenario_is_planned_by_its_command() {
        let arguments = FaultArguments {
            kind: Some(RunKind::Batch),
            store: Some(StoreKind::Sqlite),
            fault: Some(InjectedFault::KillTime),
            seed: 7,
            count: Some(1),
            ..FaultArguments::DEFAULT
        };
        let expected = FaultScenario {
            kind: RunKind::Batch,
            store: StoreKind::Sqlite,
            fault: InjectedFault::KillTime,
            seed: 7,
        };
        assert_eq!(planned(&arguments), [expected]);
    }
}
