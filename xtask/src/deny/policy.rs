//! The policy: tables to edit when a new dependency needs a decision.

/// Permissive licences. Exceptions to a licence are part of the name.
pub(crate) const LICENCES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "BSL-1.0",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "CDLA-Permissive-2.0",
];

/// A crate whose licence was reviewed by a person.
pub(crate) struct LicenseClarification {
    pub(crate) name: &'static str,
    /// The licence expression to use, checked like any other unless `accepted`.
    pub(crate) licence: &'static str,
    /// Why a licence outside [`LICENCES`] is accepted here; empty if no exception is needed.
    pub(crate) accepted: &'static str,
}

/// Crates without an expression in their manifest, and exceptions to [`LICENCES`]. None so far.
pub(crate) const CLARIFIED: &[LicenseClarification] = &[];

/// A crate we do not want, and why.
pub(crate) struct Ban {
    pub(crate) name: &'static str,
    pub(crate) reach: BanReach,
    pub(crate) reason: &'static str,
}

/// The scope of a ban.
pub(crate) enum BanReach {
    /// Nowhere in the build.
    Anywhere,
    /// Not as a direct dependency of ours, except in these crates; other crates may depend on it.
    OursExcept(&'static [&'static str]),
}

pub(crate) const BANS: &[Ban] = &[
    Ban {
        name: "openssl",
        reach: BanReach::Anywhere,
        reason: "TLS is rustls with ring",
    },
    Ban {
        name: "openssl-sys",
        reach: BanReach::Anywhere,
        reason: "TLS is rustls with ring",
    },
    Ban {
        name: "native-tls",
        reach: BanReach::Anywhere,
        reason: "TLS is rustls with ring",
    },
    Ban {
        name: "aws-lc-rs",
        reach: BanReach::Anywhere,
        reason: "ring is the one crypto provider: aws-lc takes minutes to compile",
    },
    Ban {
        name: "rusqlite",
        reach: BanReach::Anywhere,
        reason: "sqlx links SQLite; two copies cannot link",
    },
    Ban {
        name: "diesel",
        reach: BanReach::Anywhere,
        reason: "our few statements are plain SQL over sqlx",
    },
    Ban {
        name: "sea-orm",
        reach: BanReach::Anywhere,
        reason: "our few statements are plain SQL over sqlx",
    },
    Ban {
        name: "serde_yaml",
        reach: BanReach::Anywhere,
        reason: "deprecated; serde-saphyr reads YAML",
    },
    Ban {
        name: "backoff",
        reach: BanReach::Anywhere,
        reason: "unmaintained; retry is a step's policy",
    },
    Ban {
        name: "figment",
        reach: BanReach::Anywhere,
        reason: "no release since 2024",
    },
    Ban {
        name: "tui-textarea",
        reach: BanReach::Anywhere,
        reason: "stopped in 2024; ratatui-textarea",
    },
    Ban {
        name: "reqwest-eventsource",
        reach: BanReach::Anywhere,
        reason: "unmaintained; sse-stream",
    },
    Ban {
        name: "hakoniwa",
        reach: BanReach::Anywhere,
        reason: "LGPL",
    },
    Ban {
        name: "async-std",
        reach: BanReach::Anywhere,
        reason: "discontinued; tokio is the one runtime",
    },
    Ban {
        name: "async-trait",
        reach: BanReach::OursExcept(&[]),
        reason: "ports return boxed futures and streams, so they stay object-safe without a macro",
    },
    Ban {
        name: "anyhow",
        reach: BanReach::OursExcept(&["gemicro-cli", "xtask"]),
        reason: "libraries have typed errors",
    },
];
