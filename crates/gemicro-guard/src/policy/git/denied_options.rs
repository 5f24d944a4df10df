//! Options that no allowed subcommand may have: they run programs, write elsewhere, or rewrite a commit.

use crate::policy::config::PolicyConfig;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;
use crate::policy::shell::{Program, ShellWord};

/// Long names, also denied when abbreviated.
const DENIED: &[&str] = &[
    "ext-diff",
    "textconv",
    "output",
    "open-files-in-pager",
    "upload-pack",
    "receive-pack",
    "exec",
];
/// Whole names that happen to be the start of a denied one.
const EXACT: &[&str] = &["text"];
/// Subcommands that have none of the denied options, so that an unknown argument is harmless.
const HARMLESS: &[&str] = &[
    "add",
    "status",
    "rm",
    "mv",
    "ls-files",
    "ls-tree",
    "check-ignore",
    "check-attr",
    "merge-base",
    "name-rev",
    "show-ref",
    "for-each-ref",
    "describe",
    "rev-parse",
];
/// Options of `commit` whose value is the next word. That word is not an option, even if it looks like one.
const COMMIT_VALUES: &[&str] = &[
    "message",
    "file",
    "author",
    "date",
    "template",
    "reuse-message",
    "reedit-message",
    "cleanup",
    "trailer",
    "fixup",
    "squash",
    "pathspec-from-file",
];
const COMMIT_LETTERS: &str = "mFCct";

pub(super) fn check(
    config: &PolicyConfig,
    program: &Program<'_>,
    name: &str,
    arguments: &[ShellWord],
) -> Result<(), Denial> {
    let deny = |hint: &str| Denial::new(PolicyRule::GitOption, program.segment, hint);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.exact_text() else {
            let may_be_denied = word.may_be_option() && !is_hash(word) && !HARMLESS.contains(&name);
            if may_be_denied && !attached_message(name, word) {
                return Err(deny("write the arguments literally, or put them after `--`"));
            }
            continue;
        };
        if text == "--" {
            return Ok(());
        }
        if let Some(long) = text.strip_prefix("--") {
            long_option(config, name, long).map_err(deny)?;
            let takes_next = name == "commit" && COMMIT_VALUES.contains(&long);
            if takes_next {
                value(words.next()).ok_or_else(|| deny("quote the value, so that it stays one word"))?;
            }
        } else if let Some(letters) = text.strip_prefix('-') {
            if name == "grep" && letters.contains('O') {
                return Err(deny("this option starts a program; leave it out"));
            }
            let takes_next = name == "commit"
                && letters
                    .find(|c| COMMIT_LETTERS.contains(c))
                    .is_some_and(|at| at + 1 == letters.len());
            if takes_next {
                value(words.next()).ok_or_else(|| deny("quote the value, so that it stays one word"))?;
            }
        }
    }
    Ok(())
}

fn long_option(config: &PolicyConfig, name: &str, long: &str) -> Result<(), &'static str> {
    let option = long.split('=').next().unwrap_or_default();
    let is_start = |denied: &&str| !option.is_empty() && denied.starts_with(option);
    if DENIED.iter().any(is_start) && !EXACT.contains(&option) {
        return Err("this option runs a program or writes elsewhere; leave it out");
    }
    if name == "commit" && !config.allow_amend && is_start(&"amend") {
        return Err("history only grows; make a new commit instead of amending");
    }
    if name == "cat-file" && is_start(&"filters") {
        return Err("this option runs a configured program; leave it out");
    }
    Ok(())
}

/// A value that cannot become further words.
fn value(word: Option<&ShellWord>) -> Option<()> {
    match word {
        Some(word) if word.splits => None,
        // A missing value is git's own error.
        Some(_) | None => Some(()),
    }
}

/// `-m"$text"` and `--message="$text"`: an option whose name is known, with a value that is not.
fn attached_message(name: &str, word: &ShellWord) -> bool {
    if word.splits {
        return false;
    }
    let prefix = word.prefix.as_str();
    match prefix.strip_prefix("--") {
        Some(long) => {
            let option = long.split_once('=').map(|(option, _)| option);
            option.is_some_and(|option| {
                let abbreviates = |denied: &&str| denied.starts_with(option);
                let is_denied = DENIED.iter().any(abbreviates);
                !(is_denied || name == "commit" && "amend".starts_with(option))
            })
        }
        None => {
            let letter = prefix.strip_prefix('-').and_then(|rest| rest.chars().next());
            match name {
                "commit" => letter.is_some_and(|letter| COMMIT_LETTERS.contains(letter)),
                "grep" => false,
                // `-n$count`, `-S"$text"`: short options of the reading commands run nothing.
                _ => letter.is_some(),
            }
        }
    }
}

/// `$(git merge-base main HEAD)` and similar calls give a commit, never an option.
fn is_hash(word: &ShellWord) -> bool {
    let source = word.source.replace('"', "");
    let Some(start) = source.strip_prefix("$(git ") else {
        return false;
    };
    let Some((inner, rest)) = start.split_once(')') else {
        return false;
    };
    let mut words = inner.split_whitespace();
    let is_producer = matches!(words.next(), Some("merge-base" | "rev-parse"));
    let plain_words = words.all(|word| {
        matches!(word, "--short" | "--verify" | "--abbrev-ref" | "--fork-point") || is_plain_name(word)
    });
    is_producer
        && plain_words
        && rest
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "./~^-_".contains(c))
}

fn is_plain_name(word: &str) -> bool {
    !word.starts_with('-')
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "./~^-_@{}".contains(c))
}
