//! The reading forms of subcommands that can also write.

use crate::policy::shell::ShellWord;

/// Options of `branch` and `tag` with which names are patterns, not new branches.
const LISTING: &[&str] = &[
    "list",
    "contains",
    "no-contains",
    "merged",
    "no-merged",
    "points-at",
];
const LISTING_FLAGS: &[&str] = &[
    "verbose",
    "all",
    "remotes",
    "show-current",
    "sort",
    "format",
    "color",
    "no-color",
    "column",
    "no-column",
    "ignore-case",
    "abbrev",
    "no-abbrev",
    "quiet",
    "omit-empty",
];
/// Options with which `config` reads.
const CONFIG_READS: &[&str] = &[
    "get",
    "get-all",
    "get-regexp",
    "get-urlmatch",
    "get-color",
    "get-colorbool",
    "list",
];
const CONFIG_FLAGS: &[&str] = &[
    "global",
    "local",
    "system",
    "worktree",
    "null",
    "name-only",
    "show-origin",
    "show-scope",
    "show-names",
    "type",
    "bool",
    "int",
    "bool-or-int",
    "path",
    "includes",
    "no-includes",
    "default",
    "all",
    "regexp",
    "value",
    "url",
    "fixed-value",
];

/// Whether the subcommand only reads, with these arguments.
pub(super) fn is_reading(name: &str, arguments: &[ShellWord]) -> bool {
    let words: Option<Vec<&str>> = arguments.iter().map(ShellWord::exact_text).collect();
    let Some(words) = words else {
        return false;
    };
    let first = words.first().copied().unwrap_or_default();
    match name {
        "branch" => lists(&words, "avrlqi", "l"),
        "tag" => words.is_empty() || lists(&words, "lni0123456789", "ln"),
        "remote" => remote(&words),
        "config" => config(&words),
        "stash" => matches!(first, "list" | "show"),
        "worktree" => first == "list",
        "reflog" => words.is_empty() || first == "show" || first.starts_with('-'),
        "notes" => words.is_empty() || matches!(first, "show" | "list"),
        "submodule" => words.is_empty() || first == "status",
        _ => false,
    }
}

/// Whether these words only list: all options are known, and names are allowed only where they are patterns.
fn lists(words: &[&str], letters: &str, listing_letters: &str) -> bool {
    let mut is_listing = false;
    let mut has_names = false;
    for word in words {
        if let Some(long) = word.strip_prefix("--") {
            let option = long.split('=').next().unwrap_or_default();
            if LISTING.contains(&option) {
                is_listing = true;
            } else if !LISTING_FLAGS.contains(&option) {
                return false;
            }
        } else if let Some(cluster) = word.strip_prefix('-') {
            if cluster.is_empty() || !cluster.chars().all(|c| letters.contains(c)) {
                return false;
            }
            is_listing |= cluster.chars().any(|c| listing_letters.contains(c));
        } else {
            has_names = true;
        }
    }
    is_listing || !has_names
}

fn remote(words: &[&str]) -> bool {
    let mut rest = words
        .iter()
        .skip_while(|word| matches!(**word, "-v" | "--verbose"));
    matches!(rest.next(), None | Some(&"show" | &"get-url"))
}

fn config(words: &[&str]) -> bool {
    let mut reads = matches!(words.first(), Some(&"get" | &"list"));
    let mut n_names = 0;
    let mut n_options = 0;
    for word in words {
        if let Some(long) = word.strip_prefix("--") {
            let option = long.split('=').next().unwrap_or_default();
            n_options += 1;
            if CONFIG_READS.contains(&option) {
                reads = true;
            } else if !CONFIG_FLAGS.contains(&option) {
                return false;
            }
        } else if let Some(cluster) = word.strip_prefix('-') {
            n_options += 1;
            if !matches!(cluster, "l" | "z") {
                return false;
            }
            reads |= cluster == "l";
        } else {
            n_names += 1;
        }
    }
    let is_one_key = n_options == 0 && n_names == 1 && words.iter().all(|word| word.contains('.'));
    reads || is_one_key
}
