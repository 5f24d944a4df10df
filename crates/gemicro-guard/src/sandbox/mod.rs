//! The sandbox around a whole agent process.
//!
//! A [`Profile`] says what may be touched. [`probe`] finds the best [`Tier`] (level of protection) of this machine by
//! starting a command in each. [`plan`] turns profile, tier and command into a [`LaunchPlan`]: the exact program and
//! arguments. Inside, [`launcher`] (a re-exec of our own binary) applies the kernel's restrictions and becomes the
//! command. Commands that have to be watched are planned by [`plan_supervised`]: a keeper process stays until all their
//! processes have ended, and a channel ([`Control`]) leads to it. If the requested protection is not possible, the
//! result is an error, never a weaker sandbox.
//!
//! | tier | walls | known gaps |
//! |---|---|---|
//! | full | bubblewrap, Landlock, seccomp; each shell of an agent in a domain of its own | a program that an agent starts without a shell can reach into the agent; shells that run at the same time share `/tmp` |
//! | landlock | Landlock, seccomp | what an agent runs can reach into the agent, modes and times of files of the user can be changed, other processes are visible, no servers on loopback beside the gateway; below ABI 6 a hostile command can kill its keeper |
//! | seatbelt | `sandbox-exec` | never run: untested |
//! | none | nothing | only for `danger-full-access` |

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod control;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod devices;
mod error;
#[cfg(target_os = "linux")]
mod filter;
mod gateway;
#[cfg(target_os = "linux")]
mod keeper;
pub mod launcher;
#[cfg(target_os = "linux")]
mod limits;
mod plan;
mod probe;
mod profile;
#[cfg(target_os = "linux")]
mod rules;
mod seatbelt;
#[cfg(target_os = "linux")]
mod shell_keeper;
#[cfg(target_os = "linux")]
mod shells;
mod spawn;
mod system_secrets;
mod tier;
#[cfg(target_os = "linux")]
mod tree;
mod visible;

#[cfg(test)]
mod tests;

#[cfg(target_os = "linux")]
pub use control::{CommandExit, Control, Notice};
pub use error::SandboxError;
pub use gateway::{GatewayPort, NetworkReach};
pub use plan::{LaunchPlan, Launcher, plan, plan_supervised};
pub use probe::{SandboxProbe, probe};
pub use profile::{Network, PinnedPath, Profile, ResourceLimits, SETTINGS, Shells, WriteMode};
#[cfg(target_os = "linux")]
pub use spawn::spare;
pub use tier::Tier;
#[cfg(target_os = "linux")]
pub use tree::{ProcessHandle, children, descendants, end_leftover, signal_descendants, still_running};
pub use visible::show_program_hint;
