//! One agent process from its start to the proof that nothing of it is left.
//!
//! # Theory of operation
//!
//! [`supervise`] is one task: it starts the process in its sandbox, feeds it, reads both of its streams, speaks
//! its protocol, and watches the clock. What it reads goes three ways: to the [`Dialogue`](crate::Dialogue),
//! whose items reach the [`Watcher`] at once; to a spool file, redacted, of bounded size; and to the last lines.
//! Whatever happens, the process and all its descendants are ended, first politely, then not; then the turn is
//! judged. The [`Outcome`] always says what is known: text, lines, exit, tokens, what was dropped, what is left.
//!
//! Memory is bounded whatever is printed; there is no thread per agent. Nothing here retries or stores.
//!
//! Files, in the order of a run: `prepare` (what can be refused before anything starts), `spawn` and `process`
//! (start, ask, end, verify), `watch` (the loop), `stage` (how a run ends, step by step), `feed` (standard
//! input), `capture` with `spool`, `text` and `tail` (what is kept), `live` (what is shown), `outcome`.

mod capture;
mod feed;
mod limits;
mod live;
mod outcome;
mod prepare;
mod process;
mod run;
mod spawn;
mod spool;
mod stage;
mod tail;
mod text;
mod version_cache;
mod watch;
mod watcher;

pub use gemicro_guard::sandbox::{CommandExit, ProcessHandle, Reach, end_leftover, still_running};
pub use limits::RunLimits;
pub use outcome::{Outcome, RunRecord, StreamRecord};
pub use run::{Supervision, supervise};
pub use version_cache::VersionCache;
pub use watcher::Watcher;
