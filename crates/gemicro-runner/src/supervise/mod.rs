//! One agent process from its start to the proof that nothing of it is left.
//!
//! # Theory of operation
//!
//! [`supervise`] is one task: it starts the process in its sandbox, feeds it, reads both of its streams, speaks
//! its protocol, and watches the clock. What it reads goes three ways: to the [`Dialogue`](crate::Dialogue),
//! whose items reach the [`RunWatcher`] at once; to a spool file, redacted, of bounded size; and to the last lines.
//! Whatever happens, the process and all its descendants are ended, first politely, then not; then the turn is
//! judged. The [`TurnOutcome`] always says what is known: text, lines, exit, tokens, what was dropped, what is left.
//!
//! [`supervise_warm`] does the same, but when the turn is over and the process can take another one, it stays: as a
//! [`WarmAgent`], which takes [`AgentTurn`]s, each with its own limits, watcher, spool, secrets and judgement, in the very
//! loop of the first. It stays after a turn that ended as its protocol has it, in success, in failure, or in a cancel
//! that it was told and answered. It does not stay after silence, lateness, a crash or an answer that nobody had asked
//! for: then nobody knows what it is doing. Between two turns a task of its own reads and drops what it prints, so it
//! never waits for us, and notices when it is no longer fit: it left, or spoke although nobody had asked. A prompt is
//! only ever said to a process that is fit, and [`RunRecord::untouched`] tells of one that died all the same whether
//! its prompt can have done anything.
//!
//! Memory is bounded whatever is printed; there is no thread per agent. Nothing here retries or stores.
//!
//! Files, in the order of a run: `prepare` (what can be refused before anything starts), `spawn` and `process`
//! (start, ask, end, verify), `agent` (a process with its streams and its protocol), `turn` (one turn, judged), `watch`
//! (its loop), `run_stage` (how it ends, step by step), `feed` (standard input), `capture` with `spool`, `text` and `tail`
//! (what is kept), `live` (what is shown), `outcome`, and then `rest` and `warm` (between turns).

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
