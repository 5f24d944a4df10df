//! Resources that the agents of several engines in a process share: the gateway, findings about this machine, warm
//! processes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gemicro_batch::workshop::hold_new;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_guard::sandbox::{self, Launcher, SandboxProbe, Tier};
use gemicro_llm::gateway::{Gateway, GatewayConfig};
use gemicro_runner::supervise::{Spares, VersionCache};
use tokio::sync::OnceCell;

use super::login::sweep;
use super::pool::{ProcessPool, WarmStatus};
use super::prepared_home::PreparedHome;

/// Shared resources; they cost nothing until an agent is used.
#[derive(Clone)]
pub struct SharedAgentResources {
    inner: Arc<Inner>,
}

struct Inner {
    state: PathBuf,
    gateway: Gateway,
    versions: VersionCache,
    probe: OnceCell<SandboxProbe>,
    /// Warm processes, if they are kept.
    pool: Option<ProcessPool>,
    /// Prepared resources for the next agent, if processes are kept.
    spares: Option<(Arc<Spares>, Arc<PreparedHome>)>,
}

impl SharedAgentResources {
    /// For a state folder; every agent ends with its turn.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self::with(state, None)
    }

    /// The same, but agents that can take another turn are kept for it.
    #[must_use]
    pub fn keeping_warm(state: &Path) -> Self {
        let logins = [
            ".gemini/oauth_creds.json",
            ".claude/.credentials.json",
            ".codex/auth.json",
        ];
        sweep(state, &logins.map(PathBuf::from));
        Self::with(state, Some(ProcessPool::default()))
    }

    fn with(state: &Path, pool: Option<ProcessPool>) -> Self {
        let versions = VersionCache::in_file(state.join("agents").join("versions.json"));
        Self {
            inner: Arc::new(Inner {
                state: state.to_owned(),
                gateway: Gateway::new(GatewayConfig::default()),
                versions,
                probe: OnceCell::new(),
                spares: pool
                    .as_ref()
                    .map(|_| (Arc::default(), Arc::new(PreparedHome::in_state(state)))),
                pool,
            }),
        }
    }

    /// The warm processes; empty if this process keeps no pool.
    #[must_use]
    pub fn warm(&self) -> Vec<WarmStatus> {
        self.pool().map(ProcessPool::statuses).unwrap_or_default()
    }

    /// Whether there is a warm process.
    #[must_use]
    pub fn has_warm(&self) -> bool {
        self.pool().is_some_and(|pool| !pool.is_empty())
    }

    /// Ends all warm processes.
    pub async fn close_warm(&self) {
        if let Some(pool) = self.pool() {
            pool.close().await;
        }
    }

    pub(super) fn pool(&self) -> Option<&ProcessPool> {
        self.inner.pool.as_ref()
    }

    pub(super) fn spares(&self) -> Option<Arc<Spares>> {
        self.inner.spares.as_ref().map(|(spares, _)| Arc::clone(spares))
    }

    pub(super) fn spare_place(&self) -> Option<&PreparedHome> {
        self.inner.spares.as_ref().map(|(_, place)| place.as_ref())
    }

    /// A caller has its answer, so postponed work can be done.
    pub fn note_answer(&self) {
        if let Some((spares, _)) = &self.inner.spares {
            spares.note_answer();
        }
    }

    /// Prepares the home of the next conversation when no caller waits. If that fails, the conversation creates its
    /// own.
    pub(super) fn make_next_place(&self) {
        if let Some((spares, place)) = self.inner.spares.clone() {
            tokio::spawn(async move {
                spares.lull().await;
                tokio::task::spawn_blocking(move || place.fill()).await
            });
        }
    }

    /// Syncs a file to disk in the background: the answer is in the journal, and its caller should not wait for this.
    pub(super) fn make_safe(&self, file: File) {
        let sync = move || {
            if let Err(error) = file.sync_all() {
                tracing::warn!(%error, "what is known about a session is not safe from a power cut");
            }
        };
        match self.spares() {
            Some(spares) => drop(tokio::spawn(async move {
                spares.lull().await;
                tokio::task::spawn_blocking(sync).await
            })),
            // This process may be about to exit; it completes blocking tasks first.
            None => drop(tokio::task::spawn_blocking(sync)),
        }
    }

    /// The state folder, under which agents have their homes.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.inner.state
    }

    pub(super) fn gateway(&self) -> &Gateway {
        &self.inner.gateway
    }

    pub(super) fn versions(&self) -> &VersionCache {
        &self.inner.versions
    }

    /// The sandbox tier of this machine, found by actually starting a process.
    pub async fn tier(&self, launcher: &Launcher) -> Result<Tier, Failure> {
        let launcher = launcher.clone();
        // Its own folder: if another process deleted a shared one, the sandbox would seem to be missing.
        let name = format!("probe-{}", StreamId::random());
        let scratch = self.inner.state.join("agents").join(name);
        let probing = || async move {
            let probed = tokio::task::spawn_blocking(move || {
                let _held = hold_new(&scratch)?;
                let probe = sandbox::probe(&launcher, &scratch);
                std::fs::remove_dir_all(&scratch)?;
                probe
            });
            match probed.await {
                Ok(Ok(probe)) => Ok(probe),
                Ok(Err(error)) => Err(Failure::new(ErrorKind::StorageError, error.to_string())),
                Err(error) => Err(Failure::new(ErrorKind::Internal, error.to_string())),
            }
        };
        let probe = self.inner.probe.get_or_try_init(probing).await?;
        Ok(probe.tier)
    }
}
