//! The rules, by the name that users and journals see.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Each rule once: variant, name on the wire, description of a violation, what it protects.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident, $name:literal, $meaning:literal, $protects:literal;)+) => {
        /// The rule that a denied call broke.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum PolicyRule {
            $($(#[$doc])* #[serde(rename = $name)] $rule,)+
        }

        impl PolicyRule {
            /// Every rule, in documentation order.
            pub const ALL: &[PolicyRule] = &[$(PolicyRule::$rule,)+];

            /// The rule's name on the wire.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)+
                }
            }

            /// Describes to people what breaks the rule.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$rule => $meaning,)+
                }
            }

            /// Describes to people what the rule protects.
            pub fn protects(self) -> &'static str {
                match self {
                    $(Self::$rule => $protects,)+
                }
            }
        }
    };
}

rules! {
    /// The command is not a shell program that can be read for certain.
    ParseError, "parse_error",
        "the command cannot be parsed reliably",
        "the check itself: what cannot be read cannot be checked";
    /// The call is too long or too deeply nested to be judged.
    TooLarge, "too_large",
        "the call is too long or too deeply nested",
        "the check itself: every part of a call must be read";
    /// The program's name is only known when the line runs.
    DynamicProgram, "dynamic_program",
        "the program's name is only known when the line runs",
        "the check itself: a name that is built at run time could be git";
    /// The program's name holds characters that look like others, or that cannot be seen.
    OddCharacters, "odd_characters",
        "a name contains characters that look like others or are invisible",
        "people and the policy: both must see the same command";
    /// A function, alias or setting would change what a known name means.
    Redefinition, "redefinition",
        "a known command would be redefined",
        "the check itself: `git` must keep its meaning for the rest of the line";
    /// A wrapper's options cannot be read, or an unknown wrapper starts git or a shell.
    Wrapper, "wrapper",
        "another program starts git or a shell in a way that cannot be followed",
        "the check itself: what a wrapper starts is checked too";
    /// A shell reads commands that are not in the line.
    ShellInput, "shell_input",
        "a shell reads commands that are not in the line",
        "the check itself: every command that runs must be in the call";
    /// A variable would make git or a shell run or read something else.
    Environment, "environment",
        "a variable makes git or a shell run or read something else",
        "git and shells: they work with the user's settings, not the agent's";
    /// A git option that runs programs, leaves the worktree or rewrites.
    GitOption, "git_option",
        "a git option runs programs, leaves the worktree or rewrites a commit",
        "the history of the task, which only grows, and the user's repository";
    /// A git subcommand that is not on the list.
    GitSubcommand, "git_subcommand",
        "a git subcommand that is not on the list",
        "other branches, tags and remotes: the task stays on its own branch";
    /// git outside the worktree.
    GitOutside, "git_outside",
        "git would work outside the worktree",
        "the user's repository and other checkouts";
    /// A path outside the worktree.
    OutsideWorktree, "outside_worktree",
        "a path is outside the worktree",
        "everything on this machine that is not the task's";
    /// A path in git's own folder.
    GitMetadata, "git_metadata",
        "a path is in git's own folder",
        "git's own folder: hooks and settings there would run programs";
    /// A path that is only known when the line runs.
    DynamicPath, "dynamic_path",
        "a path to write is only known when the line runs",
        "everything on this machine that is not the task's";
    /// A path where keys and passwords are stored.
    SecretPath, "secret_path",
        "a path where keys and passwords are stored",
        "the user's keys and passwords";
    /// A tool that is not known.
    UnknownTool, "unknown_tool",
        "a tool that is not known or is switched off",
        "everything: what a tool does must be known before it is used";
    /// A known tool whose arguments are not understood.
    ToolArguments, "tool_arguments",
        "the arguments of a known tool are not understood",
        "the check itself: it depends on what the arguments name";
    /// A tool that needs approval, where no one can approve it.
    NoYolo, "no_yolo",
        "a tool needs approval, and `--no-yolo` approves none",
        "what you did not approve";
    /// An address inside the machine or its network.
    Address, "address",
        "an address inside this machine or its network",
        "services of this machine, its network and its cloud account";
    /// The request cannot be read, or the policy itself failed.
    Internal, "internal",
        "the request cannot be read, or the guard itself failed",
        "everything: a call that was not checked does not run";
}

impl fmt::Display for PolicyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
