//! What can go wrong, and for which runs.

use super::kind::RunKind;
use super::scenario::StoreKind;

/// One way to disturb a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InjectedFault {
    /// SIGKILL of gemicro right after a commit: the seed counts through all of them.
    KillCommit,
    /// SIGKILL of gemicro right before a write to the store.
    KillWrite,
    /// SIGKILL of gemicro at a random time.
    KillTime,
    /// SIGKILL of the agent.
    KillAgent,
    /// SIGKILL of gemicro and its agent.
    KillBoth,
    /// SIGKILL of the background worker.
    KillWorker,
    /// Half of a write reaches the store; then gemicro dies.
    TornWrite,
    /// After a kill, the end of the write-ahead log is missing or zero.
    TornPage,
    /// One bit of a file of the store changes.
    BitFlip,
    /// The disk is full from some write on.
    FullDisk,
    /// Another process has the database locked for a moment.
    Locked,
    /// The database server is killed and started again.
    ServerRestart,
    /// The model's server is not there at first.
    NetRefused,
    /// A connection is reset before the answer.
    NetReset,
    /// Answers arrive slowly, in small pieces.
    NetSlow,
    /// A connection stays open without an answer.
    NetHalfOpen,
    /// A connection is cut in the middle of the answer.
    NetCut,
    /// The agent hangs.
    AgentHang,
    /// The agent prints without end.
    AgentFlood,
    /// The agent prints garbage.
    AgentGarbage,
    /// The agent exits with 0 and prints nothing.
    AgentEmpty,
    /// The time of day jumps by an hour, forwards or backwards.
    Clock,
}

impl InjectedFault {
    pub(crate) const ALL: [Self; 22] = [
        Self::KillCommit,
        Self::KillWrite,
        Self::KillTime,
        Self::KillAgent,
        Self::KillBoth,
        Self::KillWorker,
        Self::TornWrite,
        Self::TornPage,
        Self::BitFlip,
        Self::FullDisk,
        Self::Locked,
        Self::ServerRestart,
        Self::NetRefused,
        Self::NetReset,
        Self::NetSlow,
        Self::NetHalfOpen,
        Self::NetCut,
        Self::AgentHang,
        Self::AgentFlood,
        Self::AgentGarbage,
        Self::AgentEmpty,
        Self::Clock,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::KillCommit => "kill-commit",
            Self::KillWrite => "kill-write",
            Self::KillTime => "kill-time",
            Self::KillAgent => "kill-agent",
            Self::KillBoth => "kill-both",
            Self::KillWorker => "kill-worker",
            Self::TornWrite => "torn-write",
            Self::TornPage => "torn-page",
            Self::BitFlip => "bit-flip",
            Self::FullDisk => "full-disk",
            Self::Locked => "locked",
            Self::ServerRestart => "server-restart",
            Self::NetRefused => "net-refused",
            Self::NetReset => "net-reset",
            Self::NetSlow => "net-slow",
            Self::NetHalfOpen => "net-half-open",
            Self::NetCut => "net-cut",
            Self::AgentHang => "agent-hang",
            Self::AgentFlood => "agent-flood",
            Self::AgentGarbage => "agent-garbage",
            Self::AgentEmpty => "agent-empty",
            Self::Clock => "clock",
        }
    }

    /// Whether this fault can happen to such a run in such a store.
    pub(crate) fn applies(self, kind: RunKind, store: StoreKind) -> bool {
        match self {
            Self::KillCommit | Self::KillWrite | Self::KillTime | Self::Clock => true,
            Self::TornWrite | Self::TornPage | Self::BitFlip | Self::FullDisk | Self::Locked => {
                store == StoreKind::Sqlite
            }
            Self::ServerRestart => store == StoreKind::Postgres,
            Self::KillWorker => kind == RunKind::Batch && store == StoreKind::Sqlite,
            Self::NetRefused | Self::NetReset | Self::NetSlow | Self::NetHalfOpen | Self::NetCut => {
                kind.asks_model()
            }
            Self::KillAgent
            | Self::KillBoth
            | Self::AgentHang
            | Self::AgentFlood
            | Self::AgentGarbage
            | Self::AgentEmpty => kind == RunKind::Prompt,
        }
    }
}
