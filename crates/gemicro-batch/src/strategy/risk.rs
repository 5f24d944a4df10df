//! Estimates from keywords how risky mistakes in some lines would be. A heuristic, not a proof.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::CodeLanguage;

/// Something risky that lines do, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Risk {
    /// A short name: `branches`, `unsafe memory` …
    pub what: String,
    /// Number of occurrences.
    pub n: u32,
    /// Points for each occurrence.
    pub points: u32,
}

/// Keywords of one kind of risk.
struct Sign {
    what: &'static str,
    points: u32,
    rust: &'static [&'static str],
    cpp: &'static [&'static str],
}

const SIGNS: &[Sign] = &[
    Sign {
        what: "branches",
        points: 1,
        rust: &["if", "match", "while", "for", "&&", "||", "?"],
        cpp: &["if", "switch", "case", "while", "for", "&&", "||"],
    },
    Sign {
        what: "unsafe memory",
        points: 4,
        rust: &["unsafe", "transmute", "from_raw", "get_unchecked"],
        cpp: &[
            "new",
            "delete",
            "malloc",
            "free",
            "memcpy",
            "memmove",
            "strcpy",
            "strcat",
            "sprintf",
            "reinterpret_cast",
            "const_cast",
            "goto",
        ],
    },
    Sign {
        what: "error paths",
        points: 2,
        rust: &["Err", "panic", "unwrap", "expect", "unreachable"],
        cpp: &["throw", "catch", "abort", "exit", "errno", "assert"],
    },
    Sign {
        what: "parsing and conversion",
        points: 2,
        rust: &["parse", "from_str", "try_from", "as", "from_utf8"],
        cpp: &[
            "parse",
            "stoi",
            "stol",
            "stod",
            "atoi",
            "strtol",
            "static_cast",
            "sscanf",
        ],
    },
];

/// The risks of some lines, in a fixed order.
#[must_use]
pub fn risks(language: CodeLanguage, text: &str) -> Vec<Risk> {
    let words = words(text);
    let found = SIGNS.iter().map(|sign| {
        let signs: Vec<&str> = match language {
            CodeLanguage::Rust => sign.rust.to_vec(),
            CodeLanguage::Cpp => sign.cpp.to_vec(),
            CodeLanguage::Other => [sign.rust, sign.cpp].concat(),
        };
        let n = words.iter().filter(|word| signs.contains(*word)).count();
        Risk {
            what: sign.what.to_owned(),
            n: u32::try_from(n).unwrap_or(u32::MAX),
            points: sign.points,
        }
    });
    found.filter(|risk| risk.n > 0).collect()
}

/// Identifiers and the operators that count, without whole-line comments.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        // A `*` directly followed by something is a pointer.
        let is_comment = line == "*" || ["//", "/*", "* ", "*/"].iter().any(|it| line.starts_with(it));
        if is_comment {
            continue;
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        words.extend(line.split(|c| !is_name(c)).filter(|word| !word.is_empty()));
        words.extend(line.matches("&&"));
        words.extend(line.matches("||"));
        words.extend(line.matches('?'));
    }
    words
}
