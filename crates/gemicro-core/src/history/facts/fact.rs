//! A fact: an exact string that a conversation must not lose.

use serde::{Deserialize, Serialize};

/// The class of a fact, in order of priority for space in a prompt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FactClass {
    /// A "must" or "never" sentence of the user.
    Rule,
    /// A decision of the user or the model.
    Decision,
    /// Work that was reported as finished.
    Done,
    /// A path, a hash, a version, a host …
    Identifier,
    /// A number with its unit.
    Number,
}

impl FactClass {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [
        Self::Rule,
        Self::Decision,
        Self::Done,
        Self::Identifier,
        Self::Number,
    ];

    /// The name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Decision => "decision",
            Self::Done => "done",
            Self::Identifier => "identifier",
            Self::Number => "number",
        }
    }
}

/// What an identifier names. Facts of one kind are on one line of a prompt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// A sentence that is kept whole.
    Sentence,
    /// `TIDE-123`, `#12`.
    Ticket,
    /// `API_TOKEN_2`.
    Env,
    /// `task/some-thing`.
    Branch,
    /// `v1.2.3-rc1`.
    Version,
    /// `box-1.example.test`.
    Host,
    /// `127.0.0.1:8080`.
    Address,
    /// `https://…`.
    Url,
    /// `/etc/some.toml`, `src/some.rs`.
    Path,
    /// Seven to thirty-nine hex digits.
    ShortHash,
    /// Forty or more hex digits, also after `sha256:`.
    Hash,
    /// `d4164b62-fe43-…`.
    Uuid,
    /// A number with its unit.
    Number,
    /// Other words of letters and digits: `E17`, `armv7`.
    Name,
    /// A path with a line, or a time: can be looked up again.
    Place,
}

impl FactKind {
    /// The heading of such facts in a prompt.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::Sentence => "said",
            Self::Ticket => "tickets",
            Self::Env => "env",
            Self::Branch => "branches",
            Self::Version => "versions",
            Self::Host => "hosts",
            Self::Address => "addresses",
            Self::Url => "urls",
            Self::Path => "paths",
            Self::ShortHash => "short hashes",
            Self::Hash => "hashes",
            Self::Uuid => "uuids",
            Self::Number => "numbers",
            Self::Name => "names",
            Self::Place => "places",
        }
    }
}

/// The context of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::history) enum Spot {
    /// In tool output or inside a code fence.
    Listing,
    /// In a sentence of user or model.
    Prose,
}

/// A fact of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::history) struct Fact {
    pub(in crate::history) text: String,
    pub(in crate::history) class: FactClass,
    pub(in crate::history) kind: FactKind,
    /// The turn that said it first.
    pub(in crate::history) turn: u64,
    /// Number of turns that contain it.
    pub(in crate::history) n_turns: u32,
    /// The best context it was said in.
    pub(in crate::history) spot: Spot,
    /// Number of facts of the same shape in the turn that said it in that context.
    pub(in crate::history) n_alike: u32,
}
