//! What to do instead of a denied subcommand.

/// A hint that an agent can act on.
pub(super) fn for_subcommand(name: &str) -> &'static str {
    match name {
        "push" | "send-pack" | "pull" | "fetch" | "remote" | "clone" | "ls-remote" => {
            "the orchestrator pushes and fetches; just commit"
        }
        "checkout" | "switch" | "restore" => {
            "stay on your branch; to undo a change, edit the file again and commit"
        }
        "branch" | "tag" | "update-ref" | "symbolic-ref" | "worktree" | "bisect" | "replace" => {
            "the orchestrator moves branches and tags; stay on your branch"
        }
        "reset" | "rebase" | "filter-branch" | "revert" | "commit-tree" => {
            "history only grows; make a new commit"
        }
        "merge" | "cherry-pick" | "am" | "apply" => "the orchestrator merges; edit the files and commit",
        "stash" => "commit your work instead of stashing it",
        "config" => "git's configuration is fixed; only reading it is allowed (`git config --get`)",
        "clean" => "delete files with rm",
        _ => {
            "the allowed commands are add, commit, rm, mv, status, diff, log, show and other commands that only read"
        }
    }
}
