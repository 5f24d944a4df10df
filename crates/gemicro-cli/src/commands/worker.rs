//! `gemicro worker`: the background process that continues work after its command has ended.

use std::io::Write;

use clap::{Args, Subcommand};
use gemicro_core::queue::ProviderLimit;
use gemicro_engine::{CarriedRun, WorkerStatus, is_free};
use gemicro_event::{ErrorKind, Failure, RunStatus};
use tokio::time::{Duration, Instant, sleep};

use crate::args::{DataFormat, store_options};
use crate::command_error::CommandError;
use crate::config::StateFolder;
use crate::output;
use crate::resident::{self, BUSY, READY};
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::{runtime, signals};

/// Maximum time for a worker to exit: it stops and records its runs first.
const LEAVING: Duration = Duration::from_secs(15);

/// Arguments of `gemicro worker`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct WorkerArgs {
    /// What to do; without it, run the worker until stopped
    #[command(subcommand)]
    pub(crate) command: Option<WorkerCommand>,
    /// Limit the calls of all workers of a shared store to a provider: at once (gemini=4) or per minute (gemini=60/m); repeatable
    #[arg(long = "limit", value_name = "NAME=N", value_parser = parse_limit)]
    pub(crate) limits: Vec<ProviderLimit>,
    /// Leave when nothing is to be done, and say on stdout when it can be called
    #[arg(long, hide = true)]
    pub(crate) on_demand: bool,
}

/// What can be asked of the worker.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// Show what the worker is doing
    #[command(args = store_options())]
    Status {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: DataFormat,
    },
    /// Stop the worker, unless it is busy; parked runs continue with the next one
    #[command(args = store_options())]
    Stop {
        /// Also stop running runs; an agent that may have changed files is not repeated
        #[arg(long)]
        now: bool,
    },
}

/// Runs the worker, or talks to it.
pub(crate) fn run(ctx: &Context, args: &WorkerArgs) -> Result<(), CommandError> {
    match &args.command {
        None if args.on_demand => {
            // Its own session, detached from the terminal it was started from.
            let _ = rustix::process::setsid();
            runtime::block_on(work(ctx, &[], true))
        }
        None => runtime::block_on(work(ctx, &args.limits, false)),
        Some(WorkerCommand::Status { format }) => runtime::block_on(status(ctx, *format)),
        Some(WorkerCommand::Stop { now }) => runtime::block_on(stop(ctx, *now)),
    }
}

async fn work(ctx: &Context, limits: &[ProviderLimit], on_demand: bool) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let state = StateFolder::resolve(&ctx.layers()?)?;
    if !limits.is_empty() && state.store.value.is_none() {
        return Err(CommandError::usage(
            "--limit needs a store that several workers share",
            "add --store postgres://user@host/database",
        ));
    }
    let limits = merge_limits(limits);
    let linger = on_demand.then_some(state.linger.value);
    let worker = match resident::worker(&ctx.environment, &state, &limits, linger).await {
        Ok(worker) => worker,
        Err(failure) if on_demand => {
            first_word(&format!(
                "{} {}",
                failure.kind.as_str(),
                text::one_line(&failure.message)
            ));
            return Err(failure.into());
        }
        Err(failure) => return Err(failure.into()),
    };
    let Some(worker) = worker else {
        if on_demand {
            first_word(BUSY);
            return Ok(());
        }
        return Err(CommandError::new_failure(
            ErrorKind::Conflict,
            "a worker is already running for this state folder",
            "see `gemicro worker status`; stop it with `gemicro worker stop`",
        ));
    };
    if on_demand {
        first_word(READY);
    } else {
        let over = match &state.store.value {
            Some(_) => "a shared store".to_owned(),
            None => state.home.value.display().to_string(),
        };
        output::say(&format!("Working for {over}. Press Ctrl-C to stop."));
    }
    worker.run(stop.suspend).await?;
    Ok(())
}

/// Reports to the process that started this one; it reads nothing more.
fn first_word(word: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{word}");
    let _ = stdout.flush();
    if let Ok(nowhere) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nowhere);
    }
}

async fn status(ctx: &Context, format: DataFormat) -> Result<(), CommandError> {
    let state = StateFolder::resolve(&ctx.layers()?)?;
    let status = resident::caller(&ctx.environment, &state).status().await?;
    if format != DataFormat::Text {
        let line = serde_json::to_string(&status)
            .map_err(|error| CommandError::from(Failure::new(ErrorKind::Internal, error.to_string())))?;
        return output::print(&format!("{line}\n"));
    }
    let words = match &status {
        Some(status) => worker_text(status),
        None => "No worker is running. One starts when something needs it.\n".to_owned(),
    };
    output::print(&words)
}

fn worker_text(status: &WorkerStatus) -> String {
    let mut words = format!(
        "{} · process {} · since {}\n",
        status.program, status.pid, status.since
    );
    if status.runs.is_empty() {
        words.push_str("It is idle.\n");
    }
    for run in &status.runs {
        let standing = if run.status == RunStatus::Parked {
            "parked"
        } else {
            "running"
        };
        words.push_str(&format!(
            "  {} {standing:8} {:8} {}\n",
            run.run,
            run.flow,
            text::cut(&text::one_line(&run.title), 60)
        ));
        if let Some(trouble) = &run.trouble {
            let trouble = text::one_line(trouble);
            words.push_str(&format!("    blocked, retrying: {trouble}\n"));
        }
    }
    if !status.warm.is_empty() {
        words.push_str(&format!(
            "It keeps {} ready:\n",
            numbers::count(status.warm.len(), "agent")
        ));
    }
    for warm in &status.warm {
        words.push_str(&format!(
            "  {:8} {} · session {} · idle {} s\n",
            warm.agent,
            warm.directory,
            warm.session.as_deref().unwrap_or("?"),
            warm.idle_s
        ));
    }
    words
}

async fn stop(ctx: &Context, now: bool) -> Result<(), CommandError> {
    let state = StateFolder::resolve(&ctx.layers()?)?;
    let worker = resident::caller(&ctx.environment, &state);
    let status = worker.status().await?;
    let is_running = |run: &&CarriedRun| run.status != RunStatus::Parked;
    let n_running = status
        .iter()
        .flat_map(|status| &status.runs)
        .filter(is_running)
        .count();
    if n_running > 0 && !now {
        return Err(CommandError::new_failure(
            ErrorKind::Conflict,
            format!("the worker is running {}", numbers::count(n_running, "run")),
            "wait for them (`gemicro worker status`), cancel them (`gemicro cancel RUN`), or stop them with --now",
        ));
    }
    if !worker.stop().await? {
        output::say("No worker is running.");
        return Ok(());
    }
    let deadline = Instant::now() + LEAVING;
    while !is_free(&state.worker_place()) {
        if Instant::now() >= deadline {
            return Err(CommandError::new_failure(
                ErrorKind::StillRunning,
                "the worker is stopping and has not ended yet",
                "check with `gemicro worker status`",
            ));
        }
        sleep(Duration::from_millis(20)).await;
    }
    output::say(match status {
        Some(status) if !status.runs.is_empty() => {
            "The worker has stopped. Its runs continue with the next worker."
        }
        Some(_) | None => "The worker has stopped.",
    });
    Ok(())
}

/// Parses `gemini=4` or `gemini=60/m`.
fn parse_limit(text: &str) -> Result<ProviderLimit, String> {
    let wrong = || format!("`{text}` is not a limit; write it like gemini=4 or gemini=60/m");
    let (provider, number) = text.split_once('=').ok_or_else(wrong)?;
    let (number, is_rate) = match number.strip_suffix("/m") {
        Some(number) => (number, true),
        None => (number, false),
    };
    let number = number
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(wrong)?;
    if provider.is_empty() {
        return Err(wrong());
    }
    Ok(ProviderLimit {
        provider: provider.to_owned(),
        max_running: (!is_rate).then_some(number),
        per_minute: is_rate.then_some(number),
    })
}

/// Merges the limits of each provider, which may be of both kinds.
fn merge_limits(limits: &[ProviderLimit]) -> Vec<ProviderLimit> {
    let mut merged: Vec<ProviderLimit> = Vec::new();
    for limit in limits {
        match merged.iter_mut().find(|before| before.provider == limit.provider) {
            Some(before) => {
                before.max_running = limit.max_running.or(before.max_running);
                before.per_minute = limit.per_minute.or(before.per_minute);
            }
            None => merged.push(limit.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::{merge_limits, parse_limit};

    #[test]
    fn limits_are_read_and_put_together() {
        let given = ["gemini=4", "openai=2", "gemini=60/m"].map(|text| parse_limit(text).expect("a limit"));
        let merged = merge_limits(&given);
        let shown: Vec<_> = merged
            .iter()
            .map(|limit| (limit.provider.as_str(), limit.max_running, limit.per_minute))
            .collect();
        assert_eq!(shown, [("gemini", Some(4), Some(60)), ("openai", Some(2), None)]);
        for wrong in [
            "",
            "gemini",
            "gemini=",
            "gemini=0",
            "=4",
            "gemini=4/s",
            "gemini=-1",
        ] {
            assert!(parse_limit(wrong).is_err(), "{wrong}");
        }
    }
}
