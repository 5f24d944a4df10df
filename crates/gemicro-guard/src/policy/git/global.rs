//! git's own options, up to the subcommand.

use super::subcommand;
use crate::policy::decision::Denial;
use crate::policy::paths::Roots;
use crate::policy::rule::PolicyRule;
use crate::policy::shell::{Program, ShellState, ShellWord};

/// Harmless options before the subcommand.
const FINE: &[&str] = &[
    "--no-pager",
    "-P",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-advice",
    "-p",
    "--paginate",
];
/// Options that only print something.
const PRINTS: &[&str] = &[
    "-v",
    "--version",
    "-h",
    "--help",
    "--exec-path",
    "--html-path",
    "--man-path",
    "--info-path",
];

/// Judges a git command; `implied` is the subcommand of programs like `git-push`.
pub(in crate::policy) fn judge(
    roots: &Roots<'_>,
    program: &Program<'_>,
    implied: &str,
    state: &ShellState,
) -> Result<(), Denial> {
    let deny = |rule: PolicyRule, hint: &str| Denial::new(rule, program.segment, hint);
    if let Some(name) = &state.git_variable {
        let hint = format!("`{name}` makes git use another program or configuration");
        return Err(deny(PolicyRule::Environment, &hint));
    }
    let arguments = &program.words[1..];
    if !implied.is_empty() {
        inside(roots, program, state)?;
        return subcommand::judge(roots.config, program, implied, arguments);
    }
    let mut place = state.clone();
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let Some(text) = word.exact_text() else {
            return Err(deny(
                PolicyRule::GitSubcommand,
                "write git's subcommand and options literally, without variables or patterns",
            ));
        };
        at += 1;
        match text {
            _ if FINE.contains(&text) => {}
            _ if PRINTS.contains(&text) => return Ok(()),
            "-C" => {
                let folder = arguments
                    .get(at)
                    .filter(|folder| !folder.tilde)
                    .and_then(ShellWord::exact_text);
                let folder = folder
                    .ok_or_else(|| deny(PolicyRule::GitOutside, "`-C` needs a folder of the worktree"))?;
                place.change(folder);
                at += 1;
            }
            _ if text.starts_with('-') => {
                return Err(deny(
                    PolicyRule::GitOption,
                    "this option can make git use another repository or run programs; leave it out",
                ));
            }
            _ => {
                inside(roots, program, &place)?;
                return subcommand::judge(roots.config, program, text, &arguments[at..]);
            }
        }
    }
    Ok(())
}

/// Refuses git outside the worktree.
fn inside(roots: &Roots<'_>, program: &Program<'_>, state: &ShellState) -> Result<(), Denial> {
    let is_inside = state
        .resolve(".")
        .is_some_and(|places| places.iter().all(|place| roots.holds(place)));
    if is_inside {
        return Ok(());
    }
    let hint = "use git inside your worktree only";
    Err(Denial::new(PolicyRule::GitOutside, program.segment, hint))
}
