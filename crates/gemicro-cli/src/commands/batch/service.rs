//! The owner of the batches: this machine, or a server. Every subcommand uses a [`Service`] and knows nothing behind
//! it.

use std::time::Duration;

use gemicro_core::drive::StopSignals;
use gemicro_engine::{BatchAnswer, BatchRequest, BatchRow, BatchStatus, Batches, BoardPage};
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_http::client::BatchClient;
use indicatif::{ProgressBar, ProgressStyle};

use super::print_answer::summary;
use super::server;
use crate::command_error::{CommandError, STOPPED};
use crate::commands::resume::owner_is_gone;
use crate::config::{Layers, ResearchFlags, ResearchSettings};
use crate::output;
use crate::session::{CommandRunService, Context, has_died, run_error};
use crate::signals::STOPPING;

/// The owner of the batches.
pub(super) enum Service {
    /// This machine: the resident worker, or this process.
    Local {
        /// The run service that runs them.
        desk: CommandRunService,
        /// The same for batches.
        batches: Batches,
    },
    /// A server; see `gemicro serve`.
    Remote(BatchClient),
}

impl Service {
    /// The batches of the named server, or of this machine with the usual settings.
    pub(super) async fn open(ctx: &Context) -> Result<Self, CommandError> {
        let layers = ctx.layers()?;
        let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
        Self::open_with(ctx, &layers, &settings, false).await
    }

    /// The same with settings of a command, and optionally without the worker of this machine.
    pub(super) async fn open_with(
        ctx: &Context,
        layers: &Layers,
        settings: &ResearchSettings,
        no_resident: bool,
    ) -> Result<Self, CommandError> {
        if let Some(client) = server::client(ctx)? {
            return Ok(Self::Remote(client));
        }
        let desk = ctx.desk(layers, settings, no_resident).await?;
        let batches = Batches::new(desk.shared());
        Ok(Self::Local { desk, batches })
    }

    pub(super) async fn submit(&self, request: BatchRequest) -> Result<BatchAnswer, CommandError> {
        let submitted = match self {
            Self::Local { batches, .. } => batches.submit(request).await,
            Self::Remote(client) => client.submit(server::body(&request.batch)?, None).await,
        };
        submitted.map_err(|failure| match failure.kind {
            ErrorKind::Conflict => {
                CommandError::from(failure).with_hint("choose another key with --key, or in the batch itself")
            }
            ErrorKind::NotFound => CommandError::from(failure).with_hint("check the folder given with --dir"),
            ErrorKind::AuthFailed => about_batches(failure),
            _ => CommandError::from(failure),
        })
    }

    /// The state of a batch.
    pub(super) async fn poll(&self, named: &str) -> Result<BatchAnswer, CommandError> {
        let id = self.id(named).await?;
        self.look(&id).await.map_err(|failure| about_batch(failure, &id))
    }

    /// Cancels some tasks, or the whole batch.
    pub(super) async fn cancel(
        &self,
        named: &str,
        task_ids: &[String],
        reason: &str,
    ) -> Result<BatchAnswer, CommandError> {
        let id = self.id(named).await?;
        let cancelled = match self {
            Self::Local { batches, .. } => batches.cancel(&id, task_ids, reason).await,
            Self::Remote(client) => client.cancel(&id, task_ids, Some(reason)).await,
        };
        cancelled.map_err(|failure| about_batch(failure, &id))
    }

    pub(super) async fn retry(&self, named: &str, task_ids: &[String]) -> Result<BatchAnswer, CommandError> {
        let id = self.id(named).await?;
        let again = match self {
            Self::Local { batches, .. } => batches.retry(&id, task_ids).await,
            Self::Remote(client) => client.retry(&id, task_ids).await,
        };
        again.map_err(|failure| about_batch(failure, &id))
    }

    /// Lists batches, the newest first.
    pub(super) async fn list(&self, limit: usize) -> Result<Vec<BatchRow>, CommandError> {
        match self {
            Self::Local { batches, .. } => Ok(batches.list(limit).await?),
            Self::Remote(client) => client.list(limit).await.map_err(about_batches),
        }
    }

    /// Waits until the last task ends, only a person can help, or the time is up, and shows the progress. The first
    /// Ctrl-C ends the wait, and the batch too if this process runs it.
    pub(super) async fn wait(
        &self,
        ctx: &Context,
        named: &str,
        at_most: Option<Duration>,
        stop: &StopSignals,
    ) -> Result<BatchAnswer, CommandError> {
        let first = self.poll(named).await?;
        let id = first.response_id.clone();
        if first.status != BatchStatus::Pending {
            return Ok(first);
        }
        self.report_if_died(ctx, &id).await?;
        let bar = progress(ctx);
        let waiting = async {
            match self {
                Self::Local { batches, .. } => batches.wait(&id, at_most, BoardPage::ALL).await,
                Self::Remote(client) => client.wait(&id, at_most).await,
            }
        };
        tokio::pin!(waiting);
        let mut shown = first;
        let answer = loop {
            bar.set_message(summary(&shown));
            let look = Duration::from_secs(shown.next_poll_interval_seconds.max(1));
            tokio::select! {
                answer = &mut waiting => break answer.map_err(|failure| match failure.kind {
                    ErrorKind::Interrupted => CommandError::from(failure).with_hint(format!("gemicro resume {id}")),
                    _ => about_batch(failure, &id),
                }),
                () = stop.suspend.cancelled() => break self.stop_batch(&id).await,
                () = tokio::time::sleep(look), if !bar.is_hidden() => shown = self.look(&id).await?,
            }
        };
        bar.finish_and_clear();
        answer
    }

    /// Resumes a batch that was interrupted, if this process is the one to run it.
    pub(super) async fn resume(&self, id: &str, stop: &StopSignals) -> Result<(), CommandError> {
        let (
            Self::Local {
                desk: CommandRunService::Here(here),
                ..
            },
            Ok(run),
        ) = (self, StreamId::new(id))
        else {
            return Ok(());
        };
        if here.carries(&run) {
            return Ok(());
        }
        match here.resume_from(&run, stop.clone(), owner_is_gone).await {
            // Another process runs it, or has finished it.
            Err(failure) if failure.kind != ErrorKind::Conflict => Err(run_error(failure, &run)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Whether the batches are in this machine's store.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Local { .. })
    }

    /// Says how to continue a batch of this machine whose process has died.
    pub(super) async fn report_if_died(&self, ctx: &Context, id: &str) -> Result<(), CommandError> {
        let (true, Ok(run)) = (self.is_local(), StreamId::new(id)) else {
            return Ok(());
        };
        let store = ctx.store().await?;
        let row = store.run(&run).await?;
        let is_dead = has_died(&store, &row).await?;
        store.close().await;
        if is_dead {
            output::say(&format!(
                "The process of this batch has died. Continue with: gemicro resume {run}"
            ));
        }
        Ok(())
    }

    /// Whether a batch only runs as long as this process does.
    pub(super) fn is_here(&self) -> bool {
        matches!(
            self,
            Self::Local {
                desk: CommandRunService::Here(_),
                ..
            }
        )
    }

    /// Stops a batch that this process runs and that waits for a person; the answer is taken when it is resumed.
    pub(super) async fn suspend(&self, id: &str) {
        if let Self::Local {
            desk: CommandRunService::Here(here),
            ..
        } = self
        {
            here.suspend_all().await;
            output::say(&format!(
                "Batch {id} is stopped until its question is answered. Then continue with: gemicro resume {id}"
            ));
        }
    }

    /// Ends the use of the service.
    pub(super) async fn close(&self) {
        if let Self::Local { desk, .. } = self {
            desk.close().await;
        }
    }

    async fn stop_batch(&self, id: &str) -> Result<BatchAnswer, CommandError> {
        match self {
            Self::Local {
                desk: CommandRunService::Here(here),
                ..
            } if !here.runs().is_empty() => {
                output::say(STOPPING);
                here.suspend_all().await;
                output::say(&format!(
                    "Batch {id} is stopped. Continue with: gemicro resume {id}"
                ));
            }
            Self::Local { .. } | Self::Remote(_) => {
                output::say(&format!(
                    "Batch {id} is still running. Wait for it: gemicro batch wait {id}"
                ));
            }
        }
        Err(CommandError::AlreadyReported(STOPPED))
    }

    async fn look(&self, id: &str) -> Result<BatchAnswer, Failure> {
        match self {
            Self::Local { batches, .. } => batches.poll(id, BoardPage::ALL).await,
            Self::Remote(client) => client.poll(id).await,
        }
    }

    /// The id of a batch: the given one, or that of the newest for `last`.
    async fn id(&self, named: &str) -> Result<String, CommandError> {
        if named != "last" {
            return Ok(named.to_owned());
        }
        let newest = self.list(1).await?.into_iter().next();
        newest.map(|row| row.response_id.to_string()).ok_or_else(|| {
            let hint = "submit one: gemicro batch submit FILE";
            CommandError::new_failure(ErrorKind::NotFound, "there are no batches yet", hint)
        })
    }
}

/// A progress line, hidden if stderr is not a terminal.
fn progress(ctx: &Context) -> ProgressBar {
    if !ctx.screen.stderr_is_terminal {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// The error for a failure about a named batch.
fn about_batch(failure: Failure, id: &str) -> CommandError {
    match failure.kind {
        ErrorKind::Conflict | ErrorKind::InvalidInput => CommandError::from(failure).with_hint(format!(
            "`gemicro batch results {id} --format text` shows the state of each task"
        )),
        _ => about_batches(failure),
    }
}

/// The error for a failure about batches.
fn about_batches(failure: Failure) -> CommandError {
    let hint = match failure.kind {
        ErrorKind::NotFound => "`gemicro batch list` lists the batches",
        ErrorKind::AuthFailed => {
            "the server does not accept the token: set GEMICRO_TOKEN, or give its file with --token-file"
        }
        _ => return CommandError::from(failure),
    };
    CommandError::from(failure).with_hint(hint)
}
