//! The language of a source file, by its extension.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Extensions of C and C++ files, in lower case.
const CPP: [&str; 15] = [
    "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl", "ixx", "cppm",
];

/// The language of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Language")]
pub enum CodeLanguage {
    /// C++ or C, by the file extension.
    Cpp,
    /// Files that end in `.rs`.
    Rust,
    /// Any other language, and files without an extension.
    Other,
}

impl CodeLanguage {
    /// The language of a file with this name.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, ending)) = name.rsplit_once('.') else {
            return Self::Other;
        };
        let ending = ending.to_ascii_lowercase();
        match ending.as_str() {
            "rs" => Self::Rust,
            ending if CPP.contains(&ending) => Self::Cpp,
            _ => Self::Other,
        }
    }

    /// Its name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cpp => "cpp",
            Self::Rust => "rust",
            Self::Other => "other",
        }
    }
}

/// The files to report, by language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Scope")]
pub enum FileScope {
    /// Files in every language.
    #[default]
    All,
    /// Files in C++ and C.
    Cpp,
    /// Files that end in `.rs`.
    Rust,
}

impl FileScope {
    /// Whether the scope includes a language.
    #[must_use]
    pub fn holds(self, language: CodeLanguage) -> bool {
        match self {
            Self::All => true,
            Self::Cpp => language == CodeLanguage::Cpp,
            Self::Rust => language == CodeLanguage::Rust,
        }
    }
}
