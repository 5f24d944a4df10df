//! Warm processes between two turns: one per conversation, bounded in number and in idle time.
//!
//! Each waits in its own task, which ends it when it is no longer usable, when it was idle for too long, or when there
//! are too many. A conversation's home is locked while its process is warm.
//!
//! Conversations never share a process, although Gemini CLI could: usage is counted by the process's token, and two
//! concurrent turns could not be distinguished.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use gemicro_core::ask::{AgentName, AgentTask, SandboxMode};
use gemicro_guard::sandbox::Profile;
use gemicro_llm::gateway::GatewayServer;
use gemicro_runner::LocatedProgram;
use gemicro_runner::supervise::WarmAgent;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::conversation_home::ConversationHome;
use super::setup::{AgentAccess, AgentSetup, approves_nothing, program, speaks_acp};

/// Maximum number of warm processes; one takes about 200 MB.
const MAX_WARM: usize = 4;
/// Maximum idle time of a process.
const IDLE: Duration = Duration::from_secs(300);

/// Status of a warm process, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmStatus {
    /// The agent CLI that does the work.
    pub agent: AgentName,
    /// The folder that the agent works in.
    pub directory: String,
    /// The session that the process holds, if any.
    pub session: Option<String>,
    /// Id of the process; absent while it is not known.
    pub pid: Option<u32>,
    /// Idle time in seconds.
    pub idle_s: u64,
}

/// The settings that a process was started with. A turn that differs in any of them needs another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessKey {
    pub(super) agent: AgentName,
    pub(super) model: Option<String>,
    pub(super) directory: String,
    pub(super) sandbox: SandboxMode,
    pub(super) yolo: bool,
    /// Device and inode: a replaced folder has the same name.
    pub(super) folder: Option<(u64, u64)>,
    /// Existing settings that the sandbox protects from being written.
    pub(super) pinned: Vec<PathBuf>,
    /// The program with its dependencies, and its modification time.
    pub(super) program: (LocatedProgram, Option<SystemTime>),
    /// Address of the model, with the key or login.
    pub(super) access: AgentAccess,
    /// Whether tool calls are denied without asking a person.
    pub(super) is_guarded: bool,
}

impl ProcessKey {
    /// The key for a process of this task; `None` if its program cannot be found or it uses a login.
    pub(super) fn of(
        setup: &AgentSetup,
        task: &AgentTask,
        access: &AgentAccess,
        workplace: &Path,
    ) -> Option<Self> {
        // A login must not stay on disk between turns, and its use is not counted.
        if access.login().is_some() {
            return None;
        }
        let located = program(setup, task.agent)?;
        let pinned = Profile::settings_of(workplace);
        let folder = workplace.metadata().ok();
        let changed = located.program.metadata().and_then(|about| about.modified());
        Some(Self {
            agent: task.agent,
            model: task.model.clone(),
            directory: workplace.display().to_string(),
            folder: folder.map(|folder| (folder.dev(), folder.ino())),
            sandbox: task.sandbox,
            yolo: task.yolo,
            pinned: pinned
                .into_iter()
                .filter(|path| path.symlink_metadata().is_ok())
                .collect(),
            program: (located, changed.ok()),
            access: access.clone(),
            is_guarded: task.branch.is_some() || approves_nothing(task),
        })
    }

    /// Whether its process can take more than one turn. Gemini CLI can with ACP, but then its model gets no reason for a
    /// denial.
    pub(super) fn may_stay(&self) -> bool {
        self.agent != AgentName::Gemini || (!self.is_guarded && speaks_acp(&self.program.0.program))
    }
}

/// A process and everything that has to last as long as it does.
pub(super) struct PooledProcess {
    pub(super) agent: WarmAgent,
    pub(super) key: ProcessKey,
    pub(super) place: ConversationHome,
    pub(super) token: String,
    pub(super) serving: Option<GatewayServer>,
}

impl PooledProcess {
    /// Ends it and releases its home.
    pub(super) async fn close(self) {
        let n_left = self.agent.close().await;
        if n_left.is_some_and(|n_left| n_left > 0) {
            tracing::warn!(?n_left, "processes of a warm agent could not be ended");
        }
        self.place.tidy(true);
    }
}

#[derive(Clone, Default)]
pub(super) struct ProcessPool {
    slots: Arc<Mutex<HashMap<String, Slot>>>,
}

/// The slot of an idle process.
struct Slot {
    status: WarmStatus,
    since: Instant,
    wish: oneshot::Sender<TurnWish>,
    resting: JoinHandle<()>,
}

enum TurnWish {
    Give(oneshot::Sender<PooledProcess>),
    Close,
}

impl ProcessPool {
    /// Takes the process of a conversation. If this returns `None`, no process holds its home.
    pub(super) async fn take(&self, name: &str) -> Option<PooledProcess> {
        let slot = self.slots().remove(name)?;
        let (give, given) = oneshot::channel();
        if slot.wish.send(TurnWish::Give(give)).is_ok()
            && let Ok(kept) = given.await
        {
            return Some(kept);
        }
        // It is ending.
        let _ = slot.resting.await;
        None
    }

    /// Keeps a process until its next turn.
    pub(super) fn put(&self, kept: PooledProcess) {
        let name = kept.place.name().to_owned();
        let status = WarmStatus {
            agent: kept.key.agent,
            directory: kept.key.directory.clone(),
            session: kept.agent.session().map(ToString::to_string),
            pid: kept.agent.handle().map(|handle| handle.pid),
            idle_s: 0,
        };
        let (wish, wished) = oneshot::channel();
        let mut slots = self.slots();
        if slots.len() >= MAX_WARM {
            let oldest = slots.iter().min_by_key(|(_, slot)| slot.since);
            let oldest = oldest.map(|(name, _)| name.clone());
            if let Some(slot) = oldest.and_then(|oldest| slots.remove(&oldest)) {
                let _ = slot.wish.send(TurnWish::Close);
            }
        }
        let resting = tokio::spawn(rest(self.clone(), kept, wished));
        let slot = Slot {
            status,
            since: Instant::now(),
            wish,
            resting,
        };
        slots.insert(name, slot);
    }

    pub(super) fn statuses(&self) -> Vec<WarmStatus> {
        let slots = self.slots();
        let statuses = slots.values().map(|slot| WarmStatus {
            idle_s: slot.since.elapsed().as_secs(),
            ..slot.status.clone()
        });
        statuses.collect()
    }

    /// Whether there are no warm processes.
    pub(super) fn is_empty(&self) -> bool {
        self.slots().is_empty()
    }

    /// Ends all of them.
    pub(super) async fn close(&self) {
        let slots: Vec<Slot> = self.slots().drain().map(|(_, slot)| slot).collect();
        let mut resting = Vec::new();
        for slot in slots {
            let _ = slot.wish.send(TurnWish::Close);
            resting.push(slot.resting);
        }
        for task in resting {
            let _ = task.await;
        }
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits with an idle process until it is taken or must end.
async fn rest(pool: ProcessPool, mut kept: PooledProcess, wished: oneshot::Receiver<TurnWish>) {
    let wish = tokio::select! {
        wish = wished => wish.ok(),
        () = kept.agent.wait_until_unfit() => None,
        () = tokio::time::sleep(IDLE) => None,
    };
    let kept = match wish {
        Some(TurnWish::Give(give)) => match give.send(kept) {
            Ok(()) => return,
            // The requester is gone.
            Err(kept) => kept,
        },
        Some(TurnWish::Close) | None => kept,
    };
    let name = kept.place.name().to_owned();
    kept.close().await;
    let mut slots = pool.slots();
    if slots.get(&name).is_some_and(|slot| slot.wish.is_closed()) {
        slots.remove(&name);
    }
}
