//! One attempt at a task: in the warm process of its conversation, in a new process, or in a new session that gets the
//! earlier turns.

mod resume;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gemicro_core::ask::{AgentTask, BranchOutcome, SandboxMode};
use gemicro_core::execute::StepCall;
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::{GatewayPort, Tier};
use gemicro_llm::gateway::ServedTool;
use gemicro_runner::supervise::{AgentTurn, Supervision, supervise, supervise_warm};
use gemicro_runner::{AgentPrompt, Session, ToolApproval};
use tokio_util::sync::CancellationToken;

use super::attempt_watcher::{AttemptWatcher, WatchedFacts};
use super::branch::{self, OnBranch};
use super::branch_at::branch_of;
use super::branch_import::BranchImport;
use super::conversation_home::{ConversationHome, turns_of_session};
use super::denials::Denials;
use super::launch_inputs;
use super::login::{bring, take_back};
use super::memory::{ConversationMemory, tag};
use super::messages;
use super::permission_prompter::PermissionPrompter;
use super::pool::{PooledProcess, ProcessKey};
use super::port_block::PortBlock;
use super::recall_tool::RecallTool;
use super::setup::{AgentAccess, approves_nothing, cli, must_ask};
use super::submission::ResultTool;
use super::tripwire_report::StepWorkerKind;
use super::turn_result::{TurnResult, refused_start};
use super::verdict::AttemptVerdict;
use super::work::{AgentJob, SharedWork};

pub(super) struct AgentAttempt<'a> {
    shared: &'a SharedWork,
    task: &'a AgentTask,
    run: StreamId,
    /// Its name for folders.
    name: String,
    access: AgentAccess,
    /// The key for a warm process, if processes are kept.
    key: Option<ProcessKey>,
    stop: CancellationToken,
    facts: WatchedFacts,
    seen: AttemptWatcher,
    began: SystemTime,
    /// The branch it works on.
    branch: Option<OnBranch>,
    /// It is a step of a pipeline: another step imports its work.
    is_staged: bool,
    /// Only its answer is kept.
    is_text: bool,
    workplace: PathBuf,
    /// The tool through which it submits its result.
    tool: Option<ResultTool>,
    /// The tool through which it searches its conversation.
    recall: Option<RecallTool>,
    /// Its session was lost, and a new one received the earlier turns.
    retold: bool,
}

impl<'a> AgentAttempt<'a> {
    pub(super) async fn run(
        shared: &'a SharedWork,
        work: &'a AgentJob,
        call: StepCall,
    ) -> Result<StepOutput, StepFailure> {
        let task = work.task();
        let access = launch_inputs::access(&shared.setup, task).map_err(refused_start)?;
        let facts = WatchedFacts::default();
        let is_counted = matches!(access, AgentAccess::Key { .. });
        let branch = branch_of(work, shared, &call.cancel)
            .await
            .map_err(refused_start)?;
        let workplace = branch
            .as_ref()
            .map_or_else(|| PathBuf::from(&task.directory), OnBranch::worktree);
        let pool = shared.commons.pool().filter(|_| !work.is_text());
        let key = pool.and_then(|_| ProcessKey::of(&shared.setup, task, &access, &workplace));
        let recall = match work {
            AgentJob::Task(_) => RecallTool::of(shared.journal.as_ref(), &call.run, &access).await,
            AgentJob::Text(_) | AgentJob::Staged(_) => None,
        };
        let mut attempt = Self {
            shared,
            task,
            name: launch_inputs::name(&call),
            run: call.run,
            tool: ResultTool::of(work, &access, &shared.secrets),
            recall,
            access,
            key,
            stop: call.cancel.child_token(),
            seen: AttemptWatcher {
                live: call.live,
                reporter: call.reporter,
                gateway: is_counted.then(|| shared.commons.gateway().clone()),
                facts: facts.clone(),
                serving: None,
                denials: None,
                leave: task
                    .asks
                    .then(|| PermissionPrompter::new(&call.step.key, call.attempt, call.answers)),
                n_tools: 0,
                handed_in: Vec::new(),
            },
            facts,
            began: SystemTime::now(),
            branch,
            is_staged: work.is_staged(),
            is_text: work.is_text(),
            workplace,
            retold: false,
        };
        let turned = match &task.session {
            None => attempt.begin().await,
            Some(session) => attempt.resume_session(session).await,
        };
        let mut turned = turned.map_err(refused_start)?;
        let landed = attempt.land(&mut turned).await;
        attempt.conclude(turned, landed)
    }

    /// Begins a new conversation; it may get the history of one with another agent.
    async fn begin(&mut self) -> Result<TurnResult, Failure> {
        let place = ConversationHome::new(self.state(), &self.name, self.shared.commons.spare_place())?;
        self.shared.commons.make_next_place();
        let prompt = match (&self.task.retold, &self.task.recalls) {
            (Some(text), _) => AgentPrompt::text(text.clone()),
            (None, None) => AgentPrompt::user(self.task.prompt.clone()),
            (None, Some(session)) => {
                let memory = ConversationMemory::of(
                    self.shared.journal.as_ref(),
                    &turns_of_session(self.state(), session),
                )
                .await;
                memory.history_text(&self.task.prompt, &tag())
            }
        };
        self.cold(place, Session::New, prompt).await
    }

    /// Runs a turn in an existing process; `None` if that process was gone before it did anything.
    async fn warm(&mut self, kept: PooledProcess) -> Result<Option<TurnResult>, Failure> {
        let observer = self.facts.observer(self.stop.clone());
        let token = Some(kept.token.as_str());
        let ticket = launch_inputs::ticket(
            (&self.shared.setup, self.shared.commons.gateway()),
            self.task,
            &self.access,
            token,
            (observer, self.served_tool()),
        )?;
        let place = kept.place.for_attempt(&self.name);
        let turn = AgentTurn {
            prompt: AgentPrompt::user(self.task.prompt.clone()),
            limits: launch_inputs::limits(self.task),
            spool: place.spool(),
            redactor: Redactor::new(&self.shared.secrets),
            cancel: self.stop.clone(),
        };
        self.seen.serving = kept.serving;
        self.seen.denials = self.denials(self.guard(&place)?);
        let (outcome, agent) = kept.agent.turn(turn, &mut self.seen).await;
        let spent = match ticket {
            Some(ticket) => Some(ticket.close().await),
            None => None,
        };
        let is_gone = agent.is_none() && outcome.record.untouched && !self.stop.is_cancelled();
        if is_gone && spent.as_ref().is_none_or(|spent| spent.n_requests == 0) {
            self.seen.serving = None;
            return Ok(None);
        }
        Ok(Some(TurnResult {
            outcome,
            spent,
            place,
            warm: agent.map(|agent| (agent, kept.token)),
        }))
    }

    /// Runs a turn in a new process.
    async fn cold(
        &mut self,
        place: ConversationHome,
        session: Session,
        prompt: AgentPrompt,
    ) -> Result<TurnResult, Failure> {
        let (shared, task) = (self.shared, self.task);
        let tier = self.tier().await?;
        let port = GatewayPort::open(tier, launch_inputs::mode(task.sandbox)).map_err(|error| {
            let message = format!("no port is available for the gateway: {error}");
            Failure::new(ErrorKind::Internal, message)
        })?;
        let observer = self.facts.observer(self.stop.clone());
        let observers = (observer, self.served_tool());
        let gateway = (&shared.setup, shared.commons.gateway());
        let ticket = launch_inputs::ticket(gateway, task, &self.access, None, observers)?;
        let is_warm = self.key.as_ref().is_some_and(ProcessKey::may_stay);
        let cli = cli(
            task.agent,
            &session,
            &place.home(),
            is_warm || must_ask(&shared.setup, task),
        );
        let said = match &task.branch {
            Some(branch) if session == Session::New => (session, prompt.after_text(branch::rules(branch))),
            Some(_) | None => (session, prompt),
        };
        let (branch, guard) = (self.branch.as_ref(), self.guard(&place)?);
        let mut request = launch_inputs::request(
            &shared.setup,
            task,
            &place,
            said,
            (&port, ticket.as_ref()),
            (branch, guard.as_ref()),
        );
        if self.is_text {
            request.approval = ToolApproval::Harmless;
        }
        let servers = &mut request.mcp_servers;
        servers.extend(self.tool.as_ref().map(|_| ResultTool::server()));
        servers.extend(self.recall.as_ref().map(|_| RecallTool::server()));
        if branch.is_none() {
            request.git_settings = branch::programs_off(&shared.setup, self.state(), &task.directory).await?;
        }
        self.seen.denials = self.denials(guard);
        let mut profile = launch_inputs::profile(
            (&shared.setup, &shared.commons),
            task,
            &place,
            (&port, tier),
            ticket.is_some(),
            branch,
        )?;
        // Held until the turn ends.
        let ports = branch.and_then(|_| PortBlock::take());
        let variables = ports.iter().flat_map(PortBlock::variables);
        profile.environment.extend(variables);
        let login = self.access.login();
        let brought = login.map(|login| bring(login, &request.home, &request.temp));
        let brought = brought.transpose()?;
        let supervision = Supervision {
            cli: cli.as_ref(),
            request: &request,
            located: self.key.as_ref().map(|key| key.program.0.clone()),
            profile,
            launcher: &shared.setup.launcher,
            tier,
            limits: launch_inputs::limits(task),
            spool: place.spool(),
            redactor: Redactor::new(&shared.secrets),
            cancel: self.stop.clone(),
            gateway: ticket.is_some().then_some(port),
            versions: Some(shared.commons.versions()),
            spares: shared.commons.spares(),
        };
        let (outcome, agent) = if is_warm {
            supervise_warm(supervision, &mut self.seen).await
        } else {
            (supervise(supervision, &mut self.seen).await, None)
        };
        if let Some(brought) = brought {
            take_back(brought);
        }
        let token = ticket.as_ref().map(|ticket| ticket.token().to_owned());
        let spent = match ticket {
            Some(ticket) => Some(ticket.close().await),
            None => None,
        };
        Ok(TurnResult {
            outcome,
            spent,
            place,
            warm: agent.zip(token),
        })
    }

    /// Records the session, returns the process to the pool, and makes the verdict.
    fn conclude(
        mut self,
        turned: TurnResult,
        branch: Option<BranchOutcome>,
    ) -> Result<StepOutput, StepFailure> {
        let TurnResult {
            outcome,
            spent,
            mut place,
            warm,
        } = turned;
        let session = outcome.record.session.as_ref().filter(|_| !self.is_text);
        let has_session = session.is_some();
        if let Some(session) = session {
            match place.remember(self.task, session, &self.run, self.is_staged) {
                Ok(file) => self.shared.commons.make_safe(file),
                Err(failure) => self.seen.reporter.alarm(failure.message),
            }
        }
        self.seen.look_back(self.task.agent, &outcome.record);
        let submitted = self
            .tool
            .as_ref()
            .map(|tool| tool.handed_in(&self.seen.handed_in, &self.seen.reporter));
        let file = outcome.record.stdout.file.clone();
        let messages = self
            .task
            .keep_messages
            .then(|| file.map(|file| messages::read(&file)).unwrap_or_default());
        match (warm, self.key, self.shared.commons.pool()) {
            (Some((agent, token)), Some(key), Some(pool)) if outcome.record.session.is_some() => {
                place.forget_shells();
                pool.put(PooledProcess {
                    agent,
                    key,
                    place,
                    token,
                    serving: self.seen.serving.take(),
                });
            }
            // Dropping a process ends it.
            _ => place.tidy(has_session),
        }
        AttemptVerdict {
            task: self.task,
            outcome,
            spent,
            is_paid_by_account: self.access.is_paid_by_account(),
            known: self.facts.findings(),
            began: self.began,
            messages,
            workplace: self.workplace,
            denials: self.seen.denials(),
            branch,
            is_staged: self.is_staged,
            retold: self.retold,
            submitted: submitted.unwrap_or_default(),
        }
        .into_result()
    }

    /// The tool that the gateway serves: submit for a step of a pipeline, recall for a turn of a chat.
    fn served_tool(&self) -> Option<ServedTool> {
        let recall = || self.recall.as_ref().map(RecallTool::served_tool);
        self.tool.as_ref().map(ResultTool::served_tool).or_else(recall)
    }

    /// The guard's policy for an agent on a branch.
    fn guard(&self, place: &ConversationHome) -> Result<Option<PolicyConfig>, Failure> {
        let policy = |branch| launch_inputs::policy(&self.shared.setup, place, branch, self.tool.as_ref());
        self.branch.as_ref().map(policy).transpose()
    }

    /// What refuses its tool calls, if anything does without asking a person.
    fn denials(&self, guard: Option<PolicyConfig>) -> Option<Denials> {
        let refuses = guard.is_some() || approves_nothing(self.task);
        refuses.then(|| Denials::new(guard, self.workplace.clone()))
    }

    /// Imports an agent's work on its branch. If the import is refused, the turn fails and its process ends.
    async fn land(&mut self, turned: &mut TurnResult) -> Option<BranchOutcome> {
        let branch = self.branch.take()?;
        let landing = match (turned.outcome.record.tier, self.task.sandbox) {
            (Some(tier), SandboxMode::WorkspaceWrite) if turned.outcome.result.is_ok() && !self.is_staged => {
                Some(BranchImport::of(&self.shared.setup, tier, self.task, &self.run))
            }
            _ => None,
        };
        let (tripped, landed) = branch.leave(landing, StepWorkerKind::Agent).await;
        tripped.tell(&self.seen.reporter);
        match landed? {
            Ok(outcome) => Some(outcome),
            Err(failure) => {
                turned.outcome.result = Err(failure);
                turned.warm = None;
                None
            }
        }
    }

    fn state(&self) -> &Path {
        self.shared.commons.state()
    }

    /// The sandbox tier of this machine, or none if the task runs without a sandbox.
    async fn tier(&self) -> Result<Tier, Failure> {
        if self.task.sandbox == SandboxMode::DangerFullAccess {
            return Ok(Tier::None);
        }
        self.shared.commons.tier(&self.shared.setup.launcher).await
    }
}
