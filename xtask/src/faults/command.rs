//! The command: plans the scenarios, runs them in parallel and prints the table.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::arguments::FaultArguments;
use super::audit::UndisturbedRun;
use super::interpose;
use super::kind::RunKind;
use super::matrix::scenarios;
use super::perform::{perform, run_undisturbed};
use super::postgres::FaultServer;
use super::scenario::{FaultScenario, ScenarioFindings, StoreKind};
use super::summary::FaultSummary;
use super::world::FaultTools;
use crate::bench::built_binary;
use crate::temporary::TemporaryFolder;

pub(crate) fn run(root: &Path, words: &[String]) -> Result<()> {
    let arguments = FaultArguments::parse(words)?;
    let folder = TemporaryFolder::new()?;
    let tools = FaultTools {
        root: root.to_owned(),
        program: match &arguments.program {
            Some(program) => program.clone(),
            None => built_binary(root, &[])?,
        },
        library: interpose::build(root, folder.path())?,
    };
    let wants_server = arguments.store != Some(StoreKind::Sqlite);
    let server = wants_server.then(FaultServer::start).transpose()?;
    let expected = undisturbed_runs(&tools, &arguments, server.as_ref())?;
    let n_commits = |kind, store| expected.get(&(kind, store)).map_or(0, |run| run.n_syncs);
    let planned = scenarios(&arguments, n_commits);
    if planned.is_empty() {
        bail!("no scenario has this kind, store and fault together");
    }
    println!("{} scenarios, {} at once", planned.len(), arguments.workers);
    let started_at = Instant::now();
    let work = |scenario: FaultScenario| -> Result<ScenarioFindings> {
        let expected = expected.get(&(scenario.kind, scenario.store));
        let expected = expected.context("the kind was not run without a fault")?;
        perform(&tools, scenario, server.as_ref(), expected)
    };
    let (summary, n_failed) = run_all(&planned, arguments.workers, &work);
    let table = summary.markdown();
    println!("\n{table}");
    if let Some(file) = &arguments.table {
        std::fs::write(file, &table).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let took = started_at.elapsed().as_secs_f64();
    println!(
        "{} scenarios in {took:.0} s, seed {}",
        summary.n_scenarios(),
        arguments.seed
    );
    if n_failed > 0 {
        bail!("{n_failed} scenarios failed; each is listed above with its command");
    }
    Ok(())
}

/// Runs every kind that is asked for once, without a fault.
fn undisturbed_runs(
    tools: &FaultTools,
    arguments: &FaultArguments,
    server: Option<&FaultServer>,
) -> Result<BTreeMap<(RunKind, StoreKind), UndisturbedRun>> {
    let mut runs = BTreeMap::new();
    // The first start of a program that was just built is slow.
    for kind in RunKind::ALL
        .into_iter()
        .filter(|kind| arguments.kind.is_none_or(|it| it == *kind))
    {
        for store in StoreKind::ALL
            .into_iter()
            .filter(|store| arguments.store.is_none_or(|it| it == *store))
        {
            let server = server.filter(|_| store == StoreKind::Postgres);
            let run = run_undisturbed(tools, kind, server)
                .with_context(|| format!("{} without a fault in {}", kind.name(), store.name()))?;
            println!(
                "{} in {}: {} writes, {} commits, {} model calls, {:.2} s",
                kind.name(),
                store.name(),
                run.n_writes,
                run.n_syncs,
                run.n_calls,
                run.took.as_secs_f64()
            );
            runs.insert((kind, store), run);
        }
    }
    Ok(runs)
}

/// Runs the scenarios in threads; prints each that fails, and counts them.
fn run_all(
    planned: &[FaultScenario],
    n_workers: usize,
    work: &(impl Fn(FaultScenario) -> Result<ScenarioFindings> + Sync),
) -> (FaultSummary, usize) {
    let next = AtomicUsize::new(0);
    let results = Mutex::new((FaultSummary::default(), 0));
    thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                while let Some(scenario) = planned.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let findings = work(*scenario).unwrap_or_else(|error| ScenarioFindings {
                        lost: vec![format!("{error:#}")],
                        ..ScenarioFindings::default()
                    });
                    let problems = findings.problems();
                    if !problems.is_empty() {
                        println!("FAILED {}\n    {problems}", scenario.command());
                    }
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    results.0.add(scenario, &findings);
                    results.1 += usize::from(!problems.is_empty());
                    if results.0.n_scenarios() % 100 == 0 {
                        println!("{} of {}", results.0.n_scenarios(), planned.len());
                    }
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::fault::InjectedFault;

    #[test]
    fn every_scenario_runs_once_and_an_error_is_a_failure() {
        let scenario = |seed| FaultScenario {
            kind: RunKind::Offline,
            store: StoreKind::Sqlite,
            fault: InjectedFault::KillTime,
            seed,
        };
        let planned: Vec<FaultScenario> = (0..20).map(scenario).collect();
        let work = |scenario: FaultScenario| match scenario.seed {
            7 => bail!("it did not end"),
            _ => Ok(ScenarioFindings::default()),
        };
        let (summary, n_failed) = run_all(&planned, 3, &work);
        assert_eq!((summary.n_scenarios(), n_failed), (20, 1));
    }
}
