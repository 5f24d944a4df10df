//! What is seen of an agent while it works: its own items, and what the gateway tells.

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

/// The most of a log that is read.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// Tools of one attempt that are journaled; an agent that uses more says nothing new by it.
const MAX_TOOLS: usize = 1_000;

/// Passes on what the agent says.
pub(super) struct AttemptWatcher {
    pub(super) live: LiveText,
    pub(super) reporter: StepReporter,
    pub(super) gateway: Option<Gateway>,
    pub(super) facts: WatchedFacts,
    /// The agent's listener, for as long as it works.
    pub(super) serving: Option<GatewayServer>,
    /// The guard, where one judges.
    pub(super) denials: Option<Denials>,
    /// Who is asked for leave, where somebody is.
    pub(super) leave: Option<PermissionPrompter>,
    /// Tools that were journaled.
    pub(super) n_tools: usize,
    /// Calls of the tool that takes results, as far as the agent tells of them.
    pub(super) handed_in: Vec<ReportedCall>,
}

/// What is known about a running agent, shared with the gateway's observer.
#[derive(Debug, Clone, Default)]
pub(super) struct WatchedFacts(Arc<Mutex<GatewayFindings>>);

/// What is known about an agent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GatewayFindings {
    /// What the gateway saw wrong with the last answer of the model.
    pub(super) upstream: Option<ErrorKind>,
    /// Why the agent was ended because of what the gateway saw.
    pub(super) ended_for: Option<ErrorKind>,
    /// Tools it wanted to use.
    pub(super) n_tool_calls: u64,
}

impl WatchedFacts {
    /// What is known now.
    pub(super) fn findings(&self) -> GatewayFindings {
        *self.lock()
    }

    /// Listens to the gateway. An agent whose budget is used up is ended, for it may try again for a long time; so
    /// is one that meets a limit before it did anything, for waiting is the engine's business.
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
    /// What the guard refused, in order.
    pub(super) fn denials(&self) -> Vec<DeniedCall> {
        self.denials.as_ref().map(Denials::list).unwrap_or_default()
    }

    /// Tells what shows only when the agent has ended.
    pub(super) fn look_back(&mut self, agent: AgentName, record: &RunRecord) {
        for path in record.unpinned.iter().filter(|path| path.exists()) {
            let message = format!(
                "the agent made {}, which runs code later: look at it",
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
                    "the log of the agent could not be kept: more may have been denied than is reported";
                self.reporter.alarm(message.to_owned());
            }
            None => {}
        }
    }

    /// Reads a log of the agent in which refusals stand.
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
        if let Some(denials) = &mut self.denials {
            let (answer, denied) = denials.judge(request);
            self.deny(denied);
            return ready(answer).boxed();
        }
        if RecallTool::is_asked_for(request) {
            return ready(PermissionAnswer::Allow).boxed();
        }
        match &mut self.leave {
            Some(leave) => leave.ask(request, &self.reporter),
            None => ().permission(request),
        }
    }

    fn item(&mut self, item: AgentItem) {
        let denied = self.denials.as_mut().and_then(|denials| denials.read(&item));
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
                    ToolStatus::Completed => ToolEnd::Done,
                    ToolStatus::Failed => ToolEnd::Failed,
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
