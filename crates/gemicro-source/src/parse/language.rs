//! Comment and string syntax of the usual languages: [`CommentSyntax`].

/// Languages with the same comment markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentSyntax {
    /// `//` and `/* */`: C, Rust, Java, JavaScript, Go and similar languages.
    Clike,
    /// `/* */` only: style sheets.
    Css,
    /// `#`: shells, Ruby, Perl, TOML, YAML.
    Hash,
    /// `#` and documentation strings: Python.
    Python,
    /// `--` and `/* */`: SQL.
    Sql,
    /// `--` and `--[[ ]]`: Lua.
    Lua,
    /// `--` and `{- -}`: Haskell, Elm.
    Haskell,
    /// `;`: Lisp and assembler.
    Lisp,
    /// `;` and `#`: INI files.
    Ini,
    /// `%`: Erlang, MiniZinc and Prolog.
    Percent,
}

impl CommentSyntax {
    /// By file name (lower case) and extension; `None` if it is not known source code.
    pub(super) fn of(name: &str, extension: &str) -> Option<Self> {
        Some(match extension {
            "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "m" | "mm" | "java" | "kt" | "kts"
            | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "go" | "swift" | "scala" | "cs" | "dart"
            | "php" | "proto" | "groovy" | "gradle" | "zig" | "scss" | "less" | "vue" | "svelte" | "sol" => {
                Self::Clike
            }
            "css" => Self::Css,
            "py" | "pyi" | "pyx" => Self::Python,
            "sh" | "bash" | "zsh" | "fish" | "rb" | "pl" | "pm" | "r" | "jl" | "ex" | "exs" | "tf"
            | "nix" | "cmake" | "mk" | "ps1" | "tcl" | "awk" | "nim" | "cr" | "graphql" => Self::Hash,
            "sql" | "ada" | "adb" | "ads" | "vhd" | "vhdl" => Self::Sql,
            "lua" => Self::Lua,
            "hs" | "elm" | "purs" => Self::Haskell,
            "lisp" | "el" | "clj" | "cljs" | "scm" | "rkt" | "asm" | "s" => Self::Lisp,
            "erl" | "hrl" | "mzn" | "dzn" | "pro" => Self::Percent,
            _ => match name {
                "makefile" | "dockerfile" | "containerfile" | "gemfile" | "rakefile" | "justfile" => {
                    Self::Hash
                }
                _ => return None,
            },
        })
    }

    /// Markers after which the rest of the line is a comment.
    pub(super) fn line_marks(self) -> &'static [&'static str] {
        match self {
            Self::Clike => &["//"],
            Self::Css => &[],
            Self::Hash | Self::Python => &["#"],
            Self::Sql | Self::Lua | Self::Haskell => &["--"],
            Self::Lisp => &[";"],
            Self::Ini => &["#", ";"],
            Self::Percent => &["%"],
        }
    }

    /// Start and end of a comment over several lines.
    pub(super) fn block_marks(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Clike | Self::Css | Self::Sql => Some(("/*", "*/")),
            Self::Lua => Some(("--[[", "]]")),
            Self::Haskell => Some(("{-", "-}")),
            Self::Hash | Self::Python | Self::Lisp | Self::Ini | Self::Percent => None,
        }
    }

    /// Characters that open and close a string.
    pub(super) fn quotes(self) -> &'static [u8] {
        match self {
            // The single quote is left out if the language also uses it for lifetimes, characters or apostrophes.
            Self::Clike => b"\"`",
            Self::Haskell | Self::Lisp | Self::Ini | Self::Percent => b"\"",
            Self::Css | Self::Hash | Self::Python | Self::Sql | Self::Lua => b"\"'",
        }
    }

    /// Whether a marker needs the line start or whitespace before it, so that `$#` and `a;b` contain no comment.
    pub(super) fn mark_needs_space(self) -> bool {
        match self {
            Self::Hash | Self::Python | Self::Lisp | Self::Ini | Self::Percent => true,
            Self::Clike | Self::Css | Self::Sql | Self::Lua | Self::Haskell => false,
        }
    }
}
