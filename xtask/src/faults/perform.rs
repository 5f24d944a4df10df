//! Carries out one scenario: disturb, resume, compare.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::agent_scripts::{FaultyAgent, install};
use super::audit::{UndisturbedRun, audit, paths, processes_in};
use super::fault::InjectedFault;
use super::finish::{EndedCommand, call, finish, must, spawn, start, wait};
use super::fold::RunFold;
use super::interpose::Interposition;
use super::kind::RunKind;
use super::postgres::FaultServer;
use super::proxy::FaultProxy;
use super::random::SeededRandom;
use super::scenario::{FaultScenario, ScenarioFindings, StoreKind};
use super::store_damage::{flip_bit, lock, tear_last_page};
use super::world::{FaultTools, FaultWorld};

const HOUR: i64 = 3_600;

/// Runs the whole thing once without a fault.
pub(crate) fn run_undisturbed(
    tools: &FaultTools,
    kind: RunKind,
    server: Option<&FaultServer>,
) -> Result<UndisturbedRun> {
    let world = FaultWorld::new(tools, kind, server.map(FaultServer::database).transpose()?)?;
    let started_at = Instant::now();
    let mut command = start(&world, kind)?;
    Interposition::Count.apply(&world, &mut command);
    let ended = call(&world, command)?;
    let took = started_at.elapsed();
    if ended.code != 0 {
        bail!(
            "the undisturbed {} run failed: {}{}",
            kind.name(),
            ended.stdout,
            ended.stderr
        );
    }
    let (n_writes, n_syncs) = Interposition::counts(&world)?;
    let run = finish(&world, kind, false)?;
    run.journal.check(kind)?;
    Ok(UndisturbedRun {
        fold: RunFold::new(&world, kind, &run.journal)?,
        n_writes,
        n_syncs,
        n_calls: world.model_calls()?,
        took,
        paths: paths(&world)?,
    })
}

/// Carries out a scenario in a folder of its own.
pub(crate) fn perform(
    tools: &FaultTools,
    scenario: FaultScenario,
    server: Option<&FaultServer>,
    undisturbed: &UndisturbedRun,
) -> Result<ScenarioFindings> {
    let FaultScenario {
        kind, fault, seed, ..
    } = scenario;
    let mut random = SeededRandom::new(seed);
    // Killing the server would disturb the scenarios beside this one.
    let mut own_server = match fault {
        InjectedFault::ServerRestart => Some(FaultServer::start()?),
        _ => None,
    };
    let server = own_server.as_ref().or(server);
    let store = match scenario.store {
        StoreKind::Sqlite => None,
        StoreKind::Postgres => server.map(FaultServer::database).transpose()?,
    };
    let mut world = FaultWorld::new(tools, kind, store)?;
    let any_write = |random: &mut SeededRandom| 1 + random.below(undisturbed.n_writes);
    let mut proxy = None;
    match fault {
        InjectedFault::KillCommit => {
            let n_commits = undisturbed.n_syncs.max(1);
            let number = match scenario.store {
                // The full matrix has one scenario for each commit.
                StoreKind::Sqlite => 1 + seed.wrapping_sub(1) % n_commits,
                StoreKind::Postgres => 1 + random.below(n_commits),
            };
            run_interposed(&world, start(&world, kind)?, Interposition::Commit(number))?;
        }
        InjectedFault::KillWrite => {
            let number = any_write(&mut random);
            run_interposed(&world, start(&world, kind)?, Interposition::Kill(number))?;
            if random.below(4) == 0 && kind != RunKind::Chat {
                // A second kill, while the run is resumed.
                let resume = world.command(&["resume", "last"]);
                run_interposed(&world, resume, Interposition::Kill(any_write(&mut random)))?;
            }
        }
        InjectedFault::KillTime => kill_later(&world, start(&world, kind)?, random.time(undisturbed.took))?,
        InjectedFault::TornWrite => {
            let number = any_write(&mut random);
            run_interposed(&world, start(&world, kind)?, Interposition::Torn(number))?;
        }
        InjectedFault::FullDisk => {
            let number = any_write(&mut random);
            run_interposed(&world, start(&world, kind)?, Interposition::Full(number))?;
        }
        InjectedFault::Clock => {
            let shift_seconds = if random.below(2) == 0 { HOUR } else { -HOUR };
            // In the first half, so that later events have the wrong time.
            let at = 1 + random.below(undisturbed.n_writes / 2);
            run_interposed(
                &world,
                start(&world, kind)?,
                Interposition::Clock { at, shift_seconds },
            )?;
            let run = finish(&world, kind, false)?;
            if !run.journal.ends_at_another_hour() {
                bail!("the clock did not jump");
            }
        }
        InjectedFault::TornPage => {
            let number = any_write(&mut random);
            run_interposed(&world, start(&world, kind)?, Interposition::Kill(number))?;
            tear_last_page(&world, &mut random)?;
            return check_noticed(&mut world, kind, undisturbed);
        }
        InjectedFault::BitFlip => {
            call(&world, start(&world, kind)?)?;
            let flipped = flip_bit(&world, &mut random)?;
            let check = call(&world, world.command(&["store", "check"]))?;
            let mut found =
                check_noticed(&mut world, kind, undisturbed).with_context(|| flipped.place.clone())?;
            found.n_reported = usize::from(check.code != 0);
            if flipped.is_in_blob && check.code == 0 {
                found
                    .lost
                    .push(format!("`gemicro store check` did not notice {}", flipped.place));
            }
            return Ok(found);
        }
        InjectedFault::Locked => {
            let number = any_write(&mut random);
            run_interposed(&world, start(&world, kind)?, Interposition::Kill(number))?;
            let held = lock(&world)?;
            let mut child = spawn(&world, &mut world.command(&["resume", "last"]))?;
            std::thread::sleep(random.time(Duration::from_millis(400)));
            drop(held);
            wait(&world, &mut child)?;
        }
        InjectedFault::ServerRestart => {
            let mut child = spawn(&world, &mut start(&world, kind)?)?;
            std::thread::sleep(random.time(undisturbed.took));
            if let Some(server) = &mut own_server {
                server.restart(random.time(Duration::from_millis(300)))?;
            }
            wait(&world, &mut child)?;
        }
        InjectedFault::NetRefused
        | InjectedFault::NetReset
        | InjectedFault::NetSlow
        | InjectedFault::NetHalfOpen
        | InjectedFault::NetCut => {
            let simulator = world.simulator_url().context("the kind has no model")?;
            let started = FaultProxy::start(simulator, fault, &mut random)?;
            world.model_url.clone_from(&started.url);
            proxy = Some(started);
            call(&world, start(&world, kind)?)?;
        }
        InjectedFault::KillAgent | InjectedFault::KillBoth => kill_agent(&world, kind, fault, &mut random)?,
        InjectedFault::AgentHang
        | InjectedFault::AgentFlood
        | InjectedFault::AgentGarbage
        | InjectedFault::AgentEmpty => {
            misbehave(&world, kind, fault)?;
        }
        InjectedFault::KillWorker => kill_worker(&mut world, undisturbed, &mut random)?,
    }
    let run = finish(&world, kind, may_retry(fault))?;
    drop(proxy);
    audit(&mut world, kind, &run, undisturbed)
}

/// Whether a run may fail because of this fault, and is then retried.
fn may_retry(fault: InjectedFault) -> bool {
    matches!(
        fault,
        InjectedFault::NetRefused
            | InjectedFault::NetReset
            | InjectedFault::NetSlow
            | InjectedFault::NetHalfOpen
            | InjectedFault::NetCut
            | InjectedFault::KillAgent
            | InjectedFault::AgentHang
            | InjectedFault::AgentFlood
            | InjectedFault::AgentGarbage
            | InjectedFault::AgentEmpty
    )
}

fn run_interposed(world: &FaultWorld, mut command: Command, how: Interposition) -> Result<EndedCommand> {
    how.apply(world, &mut command);
    call(world, command)
}

/// Kills a command after a time, if it still runs.
fn kill_later(world: &FaultWorld, mut command: Command, after: Duration) -> Result<()> {
    let mut child = spawn(world, &mut command)?;
    std::thread::sleep(after);
    end(&mut child)
}

fn end(child: &mut Child) -> Result<()> {
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// After damage: the same result, or an error. A different result would be wrong.
fn check_noticed(
    world: &mut FaultWorld,
    kind: RunKind,
    undisturbed: &UndisturbedRun,
) -> Result<ScenarioFindings> {
    match finish(world, kind, false) {
        Ok(run) => {
            let mut findings = audit(world, kind, &run, undisturbed)?;
            // Damage to the file that was written last can leave more than a kill: only the result counts here.
            findings.files.clear();
            Ok(findings)
        }
        Err(error) if error.to_string().contains("hung") => Err(error),
        Err(_) => Ok(ScenarioFindings {
            n_reported: 1,
            ..ScenarioFindings::default()
        }),
    }
}

/// Kills an agent that hangs, and gemicro too if that is the fault; later attempts get an agent that answers.
fn kill_agent(
    world: &FaultWorld,
    kind: RunKind,
    fault: InjectedFault,
    random: &mut SeededRandom,
) -> Result<()> {
    install(world, FaultyAgent::Hang)?;
    let mut child = spawn(world, &mut start(world, kind)?)?;
    let agents = wait_for_agent(world, &mut child)?;
    install(world, FaultyAgent::Good)?;
    std::thread::sleep(random.time(Duration::from_millis(100)));
    if fault == InjectedFault::KillBoth {
        end(&mut child)?;
    }
    for agent in agents {
        // It may have died with gemicro.
        kill_process(agent, Signal::KILL).ok();
    }
    wait(world, &mut child)?;
    Ok(())
}

/// The processes of the scripted agent, once there are any.
fn wait_for_agent(world: &FaultWorld, child: &mut Child) -> Result<Vec<Pid>> {
    let program = world.path("agents/gemini").to_string_lossy().into_owned();
    let started_at = Instant::now();
    while started_at.elapsed() < Duration::from_secs(20) && child.try_wait()?.is_none() {
        let found = processes_in(&program).into_iter();
        let found = found.filter(|(_, line)| line.starts_with("/bin/sh ") || line.starts_with("sh "));
        let found: Vec<Pid> = found.filter_map(|(number, _)| Pid::from_raw(number)).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(Vec::new())
}

/// Runs the task with an agent that misbehaves; later attempts get one that answers.
fn misbehave(world: &FaultWorld, kind: RunKind, fault: InjectedFault) -> Result<()> {
    let script = match fault {
        InjectedFault::AgentHang => FaultyAgent::Hang,
        InjectedFault::AgentFlood => FaultyAgent::Flood,
        InjectedFault::AgentGarbage => FaultyAgent::Garbage,
        _ => FaultyAgent::Empty,
    };
    install(world, script)?;
    let mut child = spawn(world, &mut start(world, kind)?)?;
    wait_for_agent(world, &mut child)?;
    install(world, FaultyAgent::Good)?;
    let ended = wait(world, &mut child)?;
    if ended.code == 0 && !ended.stdout.contains("An honest answer.") {
        bail!(
            "an agent without an answer counted as a success: {}",
            ended.stdout
        );
    }
    Ok(())
}

/// Submits the batch to the background worker, kills it, and waits for the results with a new one.
fn kill_worker(
    world: &mut FaultWorld,
    undisturbed: &UndisturbedRun,
    random: &mut SeededRandom,
) -> Result<()> {
    world.is_resident = true;
    let submitted = must(
        world,
        &[
            "batch",
            "submit",
            "batch.json",
            "--key",
            "faults",
            "--format",
            "json",
        ],
    )?;
    let submitted: Value = serde_json::from_str(&submitted)?;
    let id = submitted["response_id"].as_str().context("the batch has no id")?;
    std::thread::sleep(random.time(undisturbed.took));
    let status = must(world, &["worker", "status", "--format", "json"])?;
    let status: Value = serde_json::from_str(&status)?;
    let pid = status["pid"]
        .as_i64()
        .and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    if let Some(pid) = pid {
        // It exits by itself when it has nothing to do.
        kill_process(pid, Signal::KILL).ok();
    }
    call(world, world.command(&["batch", "wait", id]))?;
    call(world, world.command(&["worker", "stop"]))?;
    world.is_resident = false;
    Ok(())
}
