//! Watches an agent while it works: its own output, and the gateway's notes.

use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use gemicro_core::ask::{AgentName, AgentNoise, DeniedCall, ToolCalled, ToolEnd, ToolEnded};
use gemicro_core::execute::StepReporter;
use gemicro_core::live::LiveText;
use gemicro_event::{ErrorKind, Json};
use gemicro_llm::gateway::{Gateway, GatewayNote, GatewayServer, NoteKind, Observer, QuotaKind, RefusedWhy};
use gemicro_runner::supervise::{ProcessHandle, RunRecord, RunWatcher};
use gemicro_runner::{AgentItem, PermissionAnswer, PermissionRequest, ReportedCall, ToolStatus};
use tokio_util::sync::CancellationToken;

use super::denials::Denials;
use super::permission_prompter::PermissionPrompter;
use super::recall_tool::RecallTool;
use super::submission::ResultTool;
use super::tools::{self, one_line};

/// Maximum bytes read of a log.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// Maximum number of tool calls of one attempt that are written to the journal.
const MAX_TOOLS: usize = 1_000;

/// Passes on the events of an agent.
pub(super) struct AttemptWatcher {
    pub(super) live: LiveText,
    pub(super) reporter: StepReporter,
    pub(super) gateway: Option<Gateway>,
    pub(super) facts: WatchedFacts,
    /// The gateway server for the agent, while it works.
    pub(super) serving: Option<GatewayServer>,
    /// The guard, if there is one.
    pub(super) denials: Option<Denials>,
    /// Asks a person for permission, if one can be asked.
    pub(super) leave: Option<PermissionPrompter>,
    /// Number of tool calls written to the journal.
    pub(super) n_tools: usize,
    /// Calls of the submit tool that the agent reported.
    pub(super) handed_in: Vec<ReportedCall>,
}

/// Findings about a running agent, shared with the gateway's observer.
#[derive(Debug, Clone, Default)]
pub(super) struct WatchedFacts(Arc<Mutex<GatewayFindings>>);

/// Findings about an agent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GatewayFindings {
    /// The problem with the model's last answer, as the gateway saw it.
    pub(super) upstream: Option<ErrorKind>,
    /// Why the agent was stopped because of the gateway's findings.
    pub(super) ended_for: Option<ErrorKind>,
    /// Number of tool calls that it made.
    pub(super) n_tool_calls: u64,
}

impl WatchedFacts {
    pub(super) fn findings(&self) -> GatewayFindings {
        *self.lock()
    }

    /// Observes the gateway. Stops an agent whose budget is used up, because it might retry for a long time, and one
    /// that meets a limit before it did anything, because the engine does the waiting.
    pub(super) fn observer(&self, stop: CancellationToken) -> Observer {
        let facts = self.clone();
        Observer::new(move |note: GatewayNote| {
            let mut known = facts.lock();
            let ends_it = match note.kind {
                NoteKind::Settled { usage: Some(_), .. } => {
                    known.upstream = None;
                    false
                }
                NoteKind::Limited { quota } => {
                    known.upstream = Some(match quota.kind {
                        QuotaKind::Rate => ErrorKind::RateLimited,
                        QuotaKind::Long | QuotaKind::Credit => ErrorKind::QuotaExhausted,
                    });
                    known.n_tool_calls == 0
                }
                NoteKind::Refused { refused, .. } => {
                    let is_spent = matches!(refused.why, RefusedWhy::Budget(_) | RefusedWhy::Price);
                    if is_spent {
                        known.upstream = Some(ErrorKind::BudgetExceeded);
                    }
                    is_spent
                }
                _ => false,
            };
            if ends_it && known.ended_for.is_none() {
                known.ended_for = known.upstream;
                stop.cancel();
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, GatewayFindings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AttemptWatcher {
    /// The calls that the guard refused, in order.
    pub(super) fn denials(&self) -> Vec<DeniedCall> {
        self.denials.as_ref().map(Denials::list).unwrap_or_default()
    }

    /// Reports what is only visible after the agent has ended.
    pub(super) fn look_back(&mut self, agent: AgentName, record: &RunRecord) {
        for path in record.unpinned.iter().filter(|path| path.exists()) {
            let message = format!(
                "the agent created {}, which later agents or programs use. Review it",
                path.display()
            );
            self.reporter.alarm(message);
        }
        if agent != AgentName::Codex {
            return;
        }
        match &record.stderr.file {
            Some(log) => self.read_log(log),
            None if record.stderr.n_dropped > 0 && self.denials.is_some() => {
                let message =
                    "the log of the agent could not be saved: more may have been denied than is reported";
                self.reporter.alarm(message.to_owned());
            }
            None => {}
        }
    }

    /// Reads refusals from a log of the agent.
    fn read_log(&mut self, file: &Path) {
        let Some(denials) = &mut self.denials else {
            return;
        };
        let mut bytes = Vec::new();
        let read = File::open(file).and_then(|file| file.take(MAX_LOG_BYTES).read_to_end(&mut bytes));
        if let Err(error) = read {
            return self
                .reporter
                .alarm(format!("{} cannot be read: {error}", file.display()));
        }
        for denied in denials.read_log(&String::from_utf8_lossy(&bytes)) {
            self.deny(Some(denied));
        }
    }

    fn deny(&self, denied: Option<DeniedCall>) {
        if let Some(denied) = denied {
            self.reporter.alarm(denied.to_string());
        }
    }
}

impl RunWatcher for AttemptWatcher {
    fn on_started(&mut self, handle: &ProcessHandle) {
        if let Ok(handle) = Json::of(handle) {
            self.reporter.handle(handle);
        }
    }

    fn gateway(&mut self, listener: TcpListener) {
        let served = self.gateway.as_ref().map(|gateway| gateway.serve(listener));
        match served {
            Some(Ok(serving)) => self.serving = Some(serving),
            Some(Err(error)) => self.reporter.alarm(format!("the gateway cannot listen: {error}")),
            None => {}
        }
    }

    fn permission(&mut self, request: &PermissionRequest) -> BoxFuture<'static, PermissionAnswer> {
        let is_guarded = self.denials.as_ref().is_some_and(Denials::is_guarded);
        if !is_guarded && RecallTool::is_asked_for(request) {
            return ready(PermissionAnswer::Allow).boxed();
        }
        match (&mut self.denials, &mut self.leave) {
            (Some(denials), _) => {
                let (answer, denied) = denials.judge(request);
                self.deny(denied);
                ready(answer).boxed()
            }
            (None, Some(leave)) => leave.ask(request, &self.reporter),
            (None, None) => ().permission(request),
        }
    }

    fn item(&mut self, item: AgentItem) {
        let denied = self.denials.as_mut().and_then(|denials| denials.read(&item));
        let is_denied = denied.is_some();
        self.deny(denied);
        if self.handed_in.len() < MAX_TOOLS {
            self.handed_in.extend(ResultTool::call(&item));
        }
        match item {
            AgentItem::Text { text } => self.live.push(&text),
            AgentItem::ToolCall {
                id,
                name,
                title,
                input,
            } => {
                self.facts.lock().n_tool_calls += 1;
                self.n_tools += 1;
                if self.n_tools <= MAX_TOOLS {
                    let what = one_line(&tools::what(title.as_deref(), &input));
                    let tool = name;
                    self.reporter.fact(&ToolCalled { id, tool, what });
                }
            }
            AgentItem::ToolResult { id, status, .. } if self.n_tools <= MAX_TOOLS => {
                let end = match status {
                    _ if is_denied => ToolEnd::Denied,
                    ToolStatus::Completed => ToolEnd::Done,
                    ToolStatus::Failed => ToolEnd::Failed,
                    ToolStatus::Denied => ToolEnd::Denied,
                };
                self.reporter.fact(&ToolEnded { id, end });
            }
            AgentItem::Alarm { message, .. } => self.reporter.fact(&AgentNoise { message }),
            _ => {}
        }
    }

    fn upstream(&mut self) -> Option<ErrorKind> {
        self.facts.findings().upstream
    }
}
