//! Two common naive policies to compare ours with: neither has a shell parser.

/// Substrings that the deny-list searches for.
const DENIED: &[&str] = &[
    "git push",
    "git checkout",
    "git switch",
    "git reset",
    "git rebase",
    "git merge",
    "git pull",
    "git fetch",
    "git clone",
    "git branch -",
    "git tag -",
    "git stash",
    "git clean",
    "git gc",
    "git remote add",
    "git remote set-url",
    "git worktree add",
    "git worktree remove",
    "git update-ref",
    "git symbolic-ref",
    "git filter-branch",
    "git cherry-pick",
    "git submodule update",
    "git config --global",
    "--force",
    "--hard",
    "rm -rf",
    "sudo ",
];

/// Git subcommands on the allow-list; other programs may have any second word.
const ALLOWED_GIT: &[&str] = &[
    "add",
    "commit",
    "status",
    "diff",
    "log",
    "show",
    "rev-parse",
    "ls-files",
    "blame",
    "branch",
    "config",
    "remote",
    "stash",
    "tag",
    "worktree",
    "rm",
    "mv",
];
const ALLOWED: &[&str] = &[
    "cargo", "npm", "python3", "make", "node", "ls", "pwd", "cat", "echo", "printf", "grep", "rg", "find",
    "mkdir", "touch", "rm", "cp", "mv", "wc", "head", "tail", "sort", "tee", "cd", "bash", "sh", "env",
    "xargs", "timeout",
];

/// Whether a deny-list of substrings allows a command.
pub(crate) fn deny_list(command: &str) -> bool {
    !DENIED.iter().any(|part| command.contains(part))
}

/// Whether every part between operators begins with words on an allow-list.
pub(crate) fn allow_list(command: &str) -> bool {
    let parts = command.split(['\n', ';', '&', '|']);
    parts.map(str::trim).filter(|part| !part.is_empty()).all(|part| {
        let mut words = part.split_whitespace();
        match (words.next(), words.next()) {
            (Some("git"), Some(second)) => ALLOWED_GIT.contains(&second),
            (Some(first), _) => ALLOWED.contains(&first),
            (None, _) => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_easily_wrong() {
        assert!(deny_list("git status") && allow_list("git status"));
        assert!(!deny_list("git push") && !allow_list("git status; git push"));
        // Missed.
        assert!(deny_list("g''it push"));
        assert!(allow_list("bash -c 'git push'"));
        // Blocked without need.
        assert!(!deny_list("echo 'git push' > notes.txt"));
        assert!(!allow_list("for f in *; do echo \"$f\"; done"));
    }
}
