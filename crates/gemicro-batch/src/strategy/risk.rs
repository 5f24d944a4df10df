//! What lines do that makes a mistake in them costly, found by their words. A measure, not a proof.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::CodeLanguage;

/// Something risky that lines do, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Risk {
    /// In words: `branches`, `unsafe code` …
    pub what: String,
    /// How many times the lines do it.
    pub n: u32,
    /// What one of them counts.
    pub points: u32,
}

/// A word of code and what it tells.
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

/// Names and the operators that count, without comments of whole lines.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        // A star with something right behind it is a pointer.
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
