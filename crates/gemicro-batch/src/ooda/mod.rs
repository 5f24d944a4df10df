//! The OODA loop: observe coverage, orient by its gaps, decide on one, act on it, and observe again.
//!
//! # Theory of operation
//!
//! One loop is one run. [`OodaFlow`] decides from the journal: the first step measures ([`Observation`]), the ranking
//! orients, a person or the policy decides, and a proposed test is tried ([`Trial`]) in a private repository inside the
//! sandbox. It must apply, pass, raise the coverage of the program itself, and fail when the lines that it covers are
//! broken on purpose. Only then is it committed on the task branch. The coverage measured there is the next
//! observation, so nothing is measured twice. The loop ends at its target, at its budget, when nothing helps any more,
//! or when a person ends it; it always reports the coverage before and after.
//!
//! [`observe`] and [`try_out`] do the work in a [`Workshop`](crate::workshop::Workshop). The engine makes the workshop
//! and imports the commit.

#[cfg(target_os = "linux")]
mod break_lines;
mod decide;
mod definition;
mod events;
mod flow;
mod fold;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod measure;
mod observation;
mod plan;
mod result;
mod state;
mod trial;
#[cfg(target_os = "linux")]
mod try_out;

pub use events::{OodaActed, OodaDecided, OodaObserved, OodaOriented, OodaReaders, register};
pub use flow::OodaFlow;
#[cfg(target_os = "linux")]
pub use measure::observe;
pub use observation::{FileFigures, OBSERVE_STEP, Observation, ObserveInput, UncoveredLines};
pub use plan::{Commands, Decider, OodaPlan, TimedCommand};
pub use result::LoopStop;
pub use state::OodaState;
pub use trial::{LandedTrial, Mutations, Rejection, RejectionKind, TRIAL_STEP, Trial, TrialInput};
#[cfg(target_os = "linux")]
pub use try_out::{AcceptedTest, TrialFinding, try_out};
