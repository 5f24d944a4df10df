//! A status that is kept in a variable and given back at the end: `make test; rc=$?; cat log; exit $rc`.

use tree_sitter::Node;

use super::ending;
use super::syntax::{children, is_background, source};
use super::word::{self, Word};

/// How the statements after one hand its status on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandsOn {
    /// The status as it is: `rc=$?; …; exit $rc`, `exit $?`.
    Whole,
    /// That of the first stage of a pipeline: `exit ${PIPESTATUS[0]}`.
    FirstStage,
    /// What follows `||` keeps the failure: `make test || rc=$?; …; exit $rc`.
    Failure,
}

/// Whether statements after a failure keep it and end with it: `{ rc=$?; cat log; exit $rc; }`.
pub(super) fn keeps_failure(statements: &[Node<'_>], text: &str) -> bool {
    let Some((first, rest)) = statements.split_first() else {
        return false;
    };
    assigned(*first, text)
        .is_some_and(|(variable, value)| value.is_status() && is_given_back(variable, rest, text))
}

/// How the first of these statements hands its status on by the others; nothing when it does not.
pub(super) fn handed_on(statements: &[Node<'_>], text: &str) -> Option<HandsOn> {
    let (first, rest) = statements.split_first()?;
    if let Some(variable) = kept_by_or(*first, text) {
        return is_given_back(variable, rest, text).then_some(HandsOn::Failure);
    }
    let (next, later) = rest.split_first()?;
    if let Some(status) = exit_word(*next, text) {
        return match status {
            None => Some(HandsOn::Whole),
            Some(status) => of_word(*first, &status),
        };
    }
    let (variable, value) = assigned(*next, text)?;
    let hands_on = of_word(*first, &value)?;
    is_given_back(variable, later, text).then_some(hands_on)
}

fn of_word(node: Node<'_>, status: &Word) -> Option<HandsOn> {
    let is_first_stage = status.source.trim_matches('"') == "${PIPESTATUS[0]}";
    if status.is_status() {
        return Some(HandsOn::Whole);
    }
    (is_first_stage && node.kind() == "pipeline").then_some(HandsOn::FirstStage)
}

/// The variable of `left || variable=$?` or `left || variable=1`.
pub(super) fn kept_by_or<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let parts = children(node);
    let [left, right] = parts.as_slice() else {
        return None;
    };
    let is_or = node.kind() == "list" && left.next_sibling().is_some_and(|token| token.kind() == "||");
    let (variable, value) = is_or.then(|| assigned(*right, text)).flatten()?;
    let is_failure = value
        .known()
        .and_then(|text| text.parse::<u8>().ok())
        .is_some_and(|code| code > 0);
    (is_failure || value.is_status()).then_some(variable)
}

/// Whether the shell ends with the variable, and nothing before changes it or ends the shell.
fn is_given_back(variable: &str, rest: &[Node<'_>], text: &str) -> bool {
    let ends = |node: &Node<'_>| {
        exit_word(*node, text).flatten().is_some_and(|word| {
            let word = word.source.trim_matches('"');
            // `${rc:-0}` is 0 only where nothing was kept.
            let name = word
                .strip_prefix('$')
                .unwrap_or_default()
                .trim_matches(['{', '}']);
            name.strip_suffix(":-0").unwrap_or(name) == variable
        })
    };
    let end = rest.iter().position(ends);
    end.is_some_and(|end| rest[..end].iter().all(|node| keeps(variable, *node, text)))
}

/// The variable with which the shell ends that keeps failures of rounds of the loop that stands first:
/// `for d in a b; do make -C $d || failed=1; done; exit $failed`.
pub(super) fn kept_by_loop<'t>(statements: &[Node<'_>], text: &'t str) -> Option<&'t str> {
    let (first, rest) = statements.split_first()?;
    let mut kept = rounds(*first)?
        .into_iter()
        .filter_map(|node| kept_by_or(node, text));
    kept.find(|variable| keeps(variable, *first, text) && is_given_back(variable, rest, text))
}

/// The statements of a round, if this is a loop over words.
fn rounds(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let body = node.child_by_field_name("body")?;
    (node.kind() == "for_statement").then(|| children(body))
}

/// Whether a statement neither ends the shell nor gives the variable another value, a failure apart.
fn keeps(variable: &str, node: Node<'_>, text: &str) -> bool {
    if let Some(round) = rounds(node) {
        let counts = node.child_by_field_name("variable");
        let is_other = counts.is_some_and(|counts| source(counts, text) != variable);
        return is_other && round.into_iter().all(|node| keeps(variable, node, text));
    }
    if may_assign(node, variable, text) {
        return false;
    }
    match assigned(node, text) {
        Some((name, _)) => name != variable,
        None => kept_by_or(node, text) == Some(variable) || ending::stays(node, text),
    }
}

/// Whether a builtin that puts values into variables names this one, `read rc`, or an expansion does: `$((rc = 0))`.
fn may_assign(node: Node<'_>, variable: &str, text: &str) -> bool {
    const ASSIGNING: &[&str] = &["getopts", "let", "mapfile", "printf", "read", "readarray", "wait"];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let written = source(node, text);
    // `printf -vrc 0` names it, too.
    let names = |word: &str| word.strip_prefix('v').unwrap_or(word) == variable || word == variable;
    let names_it = written.split(|c| !is_part(c)).any(names);
    let prints = ending::is_program(node, &["printf"], text) && !written.contains("-v");
    names_it && ((!prints && ending::is_program(node, ASSIGNING, text)) || expands(node, text))
}

/// Whether a part of it is an expansion that changes a variable.
fn expands(node: Node<'_>, text: &str) -> bool {
    let written = source(node, text);
    let changes = ["=", "++", "--"].iter().any(|sign| written.contains(sign));
    let is_expansion = matches!(node.kind(), "arithmetic_expansion" | "expansion");
    (is_expansion && changes) || children(node).into_iter().any(|child| expands(child, text))
}

/// The word that `exit` is given, if this is one.
fn exit_word(node: Node<'_>, text: &str) -> Option<Option<Word>> {
    let words = match node.kind() {
        "command" if !is_background(node) => word::of_command(node, text),
        _ => return None,
    };
    let is_exit = words.first().and_then(Word::known) == Some("exit");
    is_exit.then(|| words.get(1).cloned())
}

/// The name and the value of an assignment.
fn assigned<'t>(node: Node<'_>, text: &'t str) -> Option<(&'t str, Word)> {
    if node.kind() != "variable_assignment" {
        return None;
    }
    let name = node.child_by_field_name("name")?;
    let value = node.child_by_field_name("value")?;
    Some((source(name, text), Word::read(value, text)))
}
