//! The user's repository, the private repository of a task, and the only way to import from the second into the first.
//!
//! # Theory of operation
//!
//! An agent that can write a git directory controls every git process that is started there. So outside the sandbox git
//! is started only with the user's repository: [`TrustedRepo`] is the only type that can, and `git.rs` the only file
//! that does. A task has its own repository ([`TaskRepo`]): written as plain files, filled from the user's objects, and
//! never used by git outside the sandbox. git commands on it run in the sandbox with the agent's permissions
//! ([`InsideCommand`]). The result comes back as a bundle, which is data: [`import()`] copies it, checks it separately
//! from the user's objects, applies the [`ImportRules`], and only then fetches it and moves the task branch, if that
//! has not been moved meanwhile.
//!
//! [`Tripwire`] detects changes that should not be possible. [`show()`] maintains a checkout for the user to look at;
//! it never makes a task fail.
//!
//! A reviewer may write less: [`TaskRepo::review_profile`] opens a few folders, and [`ImportRules::only`] refuses the
//! rest. A task is updated with [`TrustedRepo::main_branch`] and [`InsideCommand::merge`]; files for the agent go
//! through [`TaskRepo::write_handover`]; [`TrustedRepo::push`] publishes a branch. Only fetching the main branch and
//! pushing contact remotes; both use the user's own credentials and never prompt.
//!
//! One task, in order: [`TrustedRepo::open`], [`TaskRepo::create`] (or [`TaskRepo::reopen`]), then for every step
//! [`TaskRepo::profile`] for the agent, [`TaskRepo::check_branch`], [`InsideCommand::commit_all`], [`InsideCommand::bundle`],
//! [`import()`], [`show()`]. After a refusal: [`TaskRepo::rebuild`]. Everything here blocks.

mod automatic_merge;
mod bundle;
mod call;
mod carried_secrets;
mod changes;
mod checkout;
mod commit_id;
mod commits;
mod create;
mod credentials;
mod difference;
mod error;
mod files;
mod git;
mod git_settings;
mod handover;
mod history;
mod import;
mod inside;
mod inside_git;
mod layout;
mod links;
mod main_branch;
mod merge;
mod new_commits;
mod open_beneath;
mod path_text;
mod prefix;
mod programs;
mod push;
mod quarantine;
mod record;
mod refusal;
mod remote;
mod remote_error;
mod report;
mod restore;
mod review;
mod rules;
mod show;
mod slug;
mod target_branch;
mod task;
mod task_branches;
mod trees;
mod tripwire;
mod trusted;
mod withhold;

#[cfg(test)]
mod tests;

pub use automatic_merge::AutomaticMerge;
pub use commit_id::CommitId;
pub use commits::CommitAbout;
pub use create::{NewTask, TaskStart};
pub use difference::Diff;
pub use error::RepositoryError;
pub use files::FileAt;
pub use git_settings::GitSettings;
pub use history::ChangeCounts;
pub use import::{Import, ImportResult, import, import_unless};
pub use inside::{InsideCommand, InsideOutput, run_inside};
pub use inside_git::{BundleResult, CommitMessage, CommitResult};
pub use main_branch::{MainBranch, MainBranchFrom};
pub use merge::{Merge, conflict_markers};
pub use programs::programs_off;
pub use push::PushOutcome;
pub use refusal::ImportRefusal;
pub use remote::GitRemote;
pub use remote_error::RemoteError;
pub use report::{ImportWarning, ReportKind};
pub use rules::{EscapingLinks, ImportRules, ReservedPath};
pub use show::{ShowOutcome, show};
pub use slug::Slug;
pub use target_branch::{BranchMove, MergeCommit};
pub use task::{TaskRepo, TaskSandbox};
pub use tripwire::{Tripwire, TripwireChange};
pub use trusted::{RepositoryNote, TrustedRepo};
