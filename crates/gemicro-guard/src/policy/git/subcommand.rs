//! Judges git subcommands by a list of allowed ones.

use super::{denied_options, forms, hint};
use crate::policy::config::PolicyConfig;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;
use crate::policy::shell::{Program, ShellWord};

/// Subcommands that are allowed with any options but the denied ones.
const ALLOWED: &[&str] = &[
    "add",
    "commit",
    "status",
    "diff",
    "log",
    "show",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "cat-file",
    "blame",
    "grep",
    "shortlog",
    "describe",
    "merge-base",
    "name-rev",
    "for-each-ref",
    "show-ref",
    "check-ignore",
    "check-attr",
    "rm",
    "mv",
    "diff-tree",
    "diff-index",
    "diff-files",
    "whatchanged",
    "version",
    "help",
];

/// Judges a subcommand with its arguments.
pub(super) fn judge(
    config: &PolicyConfig,
    program: &Program<'_>,
    name: &str,
    arguments: &[ShellWord],
) -> Result<(), Denial> {
    let is_allowed = ALLOWED.contains(&name) || config.git_subcommands.iter().any(|extra| extra == name);
    let is_form = match is_allowed {
        true => true,
        false => forms::is_reading(name, arguments),
    };
    if is_form {
        return denied_options::check(config, program, name, arguments);
    }
    Err(Denial::new(
        PolicyRule::GitSubcommand,
        program.segment,
        hint::for_subcommand(name),
    ))
}
