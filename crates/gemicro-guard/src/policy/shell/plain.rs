//! Programs that take their arguments as data: a word `git` or `sh` among them starts nothing.

use super::program::base_name;
use super::word::ShellWord;
use super::writer;

const PLAIN: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "ls",
    "pwd",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "which",
    "whereis",
    "type",
    "whatis",
    "man",
    "apropos",
    "info",
    "help",
    "file",
    "stat",
    "du",
    "df",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "test",
    "[",
    "true",
    "false",
    ":",
    "sleep",
    "seq",
    "date",
    "diff",
    "cmp",
    "comm",
    "awk",
    "gawk",
    "jq",
    "yq",
    "column",
    "nl",
    "fold",
    "fmt",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "base64",
    "tree",
    "less",
    "more",
    "bat",
    "tac",
    "rev",
    "paste",
    "join",
    "id",
    "whoami",
    "uname",
    "hostname",
    "apt",
    "apt-get",
    "apk",
    "exit",
    "return",
    "shift",
    "break",
    "continue",
    "wait",
    "jobs",
    "kill",
    "pgrep",
    "ps",
    "ulimit",
    "umask",
    "times",
    "set",
    "shopt",
    "unalias",
    "expr",
    "bc",
    "clear",
    "yes",
    "patch",
    "rustfmt",
    "command_not_found_handle",
];
/// Test runners, linters and package managers.
const TOOLS: &[&str] = &[
    "pytest",
    "py.test",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "rspec",
    "phpunit",
    "ctest",
    "tsc",
    "eslint",
    "prettier",
    "biome",
    "ruff",
    "black",
    "flake8",
    "pylint",
    "mypy",
    "pyright",
    "gofmt",
    "golangci-lint",
    "shellcheck",
    "brew",
    "yum",
    "dnf",
    "pacman",
    "zypper",
    "conda",
    "mamba",
];
/// Programs with subcommands that treat their arguments as data.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    (
        "cargo",
        &[
            "test",
            "t",
            "nextest",
            "build",
            "b",
            "check",
            "c",
            "clippy",
            "fmt",
            "doc",
            "bench",
            "tree",
            "add",
            "remove",
            "update",
            "metadata",
            "search",
            "install",
            "fetch",
            "new",
            "init",
            "clean",
            "version",
            "--version",
        ],
    ),
    (
        "go",
        &[
            "test", "build", "vet", "fmt", "doc", "list", "get", "mod", "install", "version", "env",
        ],
    ),
    ("npm", JAVASCRIPT),
    ("pnpm", JAVASCRIPT),
    ("yarn", JAVASCRIPT),
    ("bun", JAVASCRIPT),
    ("pip", PIP),
    ("pip3", PIP),
];
const JAVASCRIPT: &[&str] = &[
    "test", "t", "install", "i", "ci", "add", "remove", "view", "ls", "outdated",
];
const PIP: &[&str] = &["install", "uninstall", "show", "list", "download"];
/// Python modules that treat their arguments as data.
const MODULES: &[&str] = &[
    "pytest",
    "unittest",
    "pip",
    "json.tool",
    "py_compile",
    "compileall",
    "http.server",
    "venv",
];
/// Words that start the program after them.
const STARTERS: &[&[&str]] = &[
    &["npx"],
    &["bunx"],
    &["npm", "exec"],
    &["pnpm", "exec"],
    &["yarn", "run"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["bundle", "exec"],
];

/// Whether a program is in the plain list, so that a line must not redefine it.
pub(super) fn is_known(base: &str) -> bool {
    PLAIN.contains(&base)
}

/// Whether a program treats these words as data.
pub(super) fn takes_data(base: &str, words: &[ShellWord]) -> bool {
    if PLAIN.contains(&base) || TOOLS.contains(&base) || writer::is_plain(base) {
        return true;
    }
    let word = |at: usize| words.get(at).and_then(ShellWord::exact_text);
    if let Some((_, plain)) = SUBCOMMANDS.iter().find(|(name, _)| *name == base)
        && (words.is_empty() || word(0).is_some_and(|first| plain.contains(&first)))
    {
        return true;
    }
    let is_python = base.starts_with("python") && word(0) == Some("-m");
    if is_python {
        return word(1).is_some_and(|module| MODULES.contains(&module));
    }
    let starter = STARTERS.iter().find(|starter| match starter {
        [name] => *name == base,
        [name, verb] => *name == base && word(0) == Some(verb),
        _ => false,
    });
    let Some(starter) = starter else {
        return false;
    };
    let rest = &words[starter.len() - 1..];
    match rest.split_first() {
        Some((program, rest)) => program
            .exact_text()
            .is_some_and(|name| takes_data(&base_name(name), rest)),
        None => false,
    }
}
