//! Supervises one agent process from its start until all its descendants are gone.
//!
//! # Theory of operation
//!
//! [`supervise`] is one task: it starts the process in its sandbox, writes its input, reads both streams, speaks its
//! protocol, and enforces time limits. Its output goes three ways: to the [`Dialogue`](crate::Dialogue), whose items
//! reach the [`RunWatcher`] at once; to a redacted spool file of limited size; and to the last lines. In any case, the
//! process and all its descendants are ended, first with a request, then by force. Then the turn is judged. The
//! [`TurnOutcome`] always has all that is known: text, lines, exit, tokens, dropped bytes, remaining processes.
//!
//! [`supervise_warm`] does the same, but keeps a process that can take another turn, as a [`WarmAgent`]. It runs
//! [`AgentTurn`]s in the same loop, each with its own limits, watcher, spool, secrets and verdict. The process is kept
//! after a turn that ended according to its protocol: success, failure, or an acknowledged cancellation. It is not kept
//! after silence, a timeout, a crash or an unexpected answer, because its state is then unknown. Between two turns, a
//! separate task reads and drops its output, so that it never blocks, and notices when it becomes unfit: it exited, or
//! printed something unexpected. Prompts are only sent to a fit process. If one dies anyway, [`RunRecord::untouched`]
//! says whether its prompt can have had any effect.
//!
//! Memory is limited whatever is printed; there is no thread per agent. Nothing here retries or stores.
//!
//! Files, in the order of a run: `prepare` (checks before the start), `spawn` and `process` (start, ask to end, kill,
//! verify), `agent` (a process with its streams and protocol), `turn` (one turn, judged), `watch` (its loop),
//! `run_stage` (how it ends), `feed` (standard input), `capture` with `spool`, `text` and `tail` (recorded output),
//! `live` (shown output), `outcome`, and then `rest` and `warm` (between turns).

mod agent;
mod capture;
mod feed;
mod limits;
mod live;
mod outcome;
mod prepare;
mod process;
mod rest;
mod run;
mod run_stage;
mod spares;
mod spawn;
mod spool;
mod tail;
mod text;
mod turn;
mod version_cache;
mod warm;
mod watch;
mod watcher;

pub use gemicro_guard::sandbox::{CommandExit, NetworkReach, ProcessHandle, end_leftover, still_running};
pub use limits::RunLimits;
pub use outcome::{RunRecord, StreamRecord, TurnOutcome};
pub use run::{Supervision, supervise, supervise_warm};
pub use spares::Spares;
pub use turn::AgentTurn;
pub use version_cache::VersionCache;
pub use warm::WarmAgent;
pub use watcher::RunWatcher;
