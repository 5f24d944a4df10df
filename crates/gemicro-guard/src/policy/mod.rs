//! The command policy: one tool call in, allow or deny out, with a reason the agent can act on.
//!
//! [`check`] is the entry point. A shell command is parsed by tree-sitter-bash and every simple command in it is
//! judged; a file tool's paths must stay in the worktree; an unknown tool is denied, and so is anything that cannot be
//! parsed with certainty. The policy gives early feedback; the guarantee is the sandbox.
//!
//! It reads the file system only to follow symbolic links and to see whether the target of a `cd` exists.

mod address;
mod call;
mod check;
mod config;
mod decision;
mod git;
mod patch;
mod paths;
mod rule;
mod shell;
mod tool;

#[cfg(test)]
mod tests;

pub use call::GuardedCall;
pub use check::check;
pub use config::PolicyConfig;
pub use decision::{Denial, PolicyDecision};
pub use rule::PolicyRule;
pub use shell::reader as shell_reader;
