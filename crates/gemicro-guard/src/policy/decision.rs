//! What the policy answers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Nothing speaks against it.
    Allow,
    /// It must not run.
    Deny(Denial),
}

/// Why a call was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// The rule that was broken.
    pub rule: Rule,
    /// The part of the call that broke it.
    pub segment: String,
    /// What to do instead.
    pub hint: String,
}

/// The rules, by the name that users and journals see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The command is not a shell program that can be read for certain.
    ParseError,
    /// The call is too long or too deeply nested to be judged.
    TooLarge,
    /// The program's name is only known when the line runs.
    DynamicProgram,
    /// The program's name holds characters that look like others, or that cannot be seen.
    OddCharacters,
    /// A function, alias or setting would change what a known name means.
    Redefinition,
    /// A wrapper's options cannot be read, or an unknown wrapper starts git or a shell.
    Wrapper,
    /// A shell reads commands that are not in the line.
    ShellInput,
    /// A variable would make git or a shell run or read something else.
    Environment,
    /// A git option that runs programs, leaves the worktree or rewrites.
    GitOption,
    /// A git subcommand that is not on the list.
    GitSubcommand,
    /// git outside the worktree.
    GitOutside,
    /// A path outside the worktree.
    OutsideWorktree,
    /// A path in git's own folder.
    GitMetadata,
    /// A path that is only known when the line runs.
    DynamicPath,
    /// A place where keys and passwords lie.
    SecretPath,
    /// A tool that is not known.
    UnknownTool,
    /// A known tool whose arguments are not understood.
    ToolArguments,
    /// An address inside the machine or its network.
    Address,
    /// The policy itself failed.
    Internal,
}

impl Decision {
    /// Whether the call may run.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow)
    }
}

impl Denial {
    /// A denial of one part of a call.
    pub fn new(rule: Rule, segment: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            rule,
            segment: shorten(segment.into()),
            hint: hint.into(),
        }
    }

    /// What an agent reads.
    pub fn message(&self) -> String {
        format!(
            "Permission Denied: {} ({}): {}",
            self.rule, self.segment, self.hint
        )
    }
}

impl Rule {
    /// The rule's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ParseError => "parse_error",
            Self::TooLarge => "too_large",
            Self::DynamicProgram => "dynamic_program",
            Self::OddCharacters => "odd_characters",
            Self::Redefinition => "redefinition",
            Self::Wrapper => "wrapper",
            Self::ShellInput => "shell_input",
            Self::Environment => "environment",
            Self::GitOption => "git_option",
            Self::GitSubcommand => "git_subcommand",
            Self::GitOutside => "git_outside",
            Self::OutsideWorktree => "outside_worktree",
            Self::GitMetadata => "git_metadata",
            Self::DynamicPath => "dynamic_path",
            Self::SecretPath => "secret_path",
            Self::UnknownTool => "unknown_tool",
            Self::ToolArguments => "tool_arguments",
            Self::Address => "address",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Keeps a segment short enough for a message.
fn shorten(segment: String) -> String {
    const CHARS: usize = 300;
    match segment.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &segment[..end]),
        None => segment,
    }
}
