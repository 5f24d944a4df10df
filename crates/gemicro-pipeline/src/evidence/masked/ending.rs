//! Which statements always fail: the right sides of `||` that keep a failure a failure.

use tree_sitter::Node;

use super::program::{self, Kind};
use super::syntax::{children, source};
use super::word;
use super::wrapper;

/// How a statement that always fails does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failing {
    /// The shell ends with a failure.
    EndsShell,
    /// The statement has the status of a failure.
    HasStatus,
}

/// The way in which a statement always fails when it follows a failure; nothing when it may succeed.
pub(super) fn always_fails(node: Node<'_>, text: &str) -> Option<Failing> {
    match node.kind() {
        "command" => command(node, text, true),
        "redirected_statement" => always_fails(node.child_by_field_name("body")?, text),
        "compound_statement" if source(node, text).starts_with("((") => None,
        "compound_statement" => all_fail(&children(node), text),
        "subshell" => all_fail(&children(node), text).map(|_| Failing::HasStatus),
        "list" => {
            let parts = children(node);
            let [left, right] = parts.as_slice() else {
                return None;
            };
            let is_and = left.next_sibling().is_some_and(|token| token.kind() == "&&");
            let is_plain = is_and && is_preparation(*left, text);
            is_plain
                .then(|| not_first(*right, text))
                .flatten()
                .map(|_| Failing::HasStatus)
        }
        _ => None,
    }
}

/// Like [`always_fails`] for statements one after another: only preparations, and a failure at the end.
pub(super) fn all_fail(statements: &[Node<'_>], text: &str) -> Option<Failing> {
    let (last, before) = statements.split_last()?;
    let in_background = |node: &Node<'_>| node.next_sibling().is_some_and(|next| next.kind() == "&");
    if statements.iter().any(in_background) || !before.iter().all(|node| is_preparation(*node, text)) {
        return None;
    }
    if before.is_empty() {
        return always_fails(*last, text);
    }
    not_first(*last, text)
}

/// Like [`all_fail`], after a `!`, which made a success of the failure: `$?` is then 0.
pub(super) fn all_fail_negated(statements: &[Node<'_>], text: &str) -> Option<Failing> {
    let failing = all_fail(statements, text)?;
    let last = statements.last()?;
    // A group could hide an `exit` without a number, so only a plain command is understood.
    not_first(*last, text).map(|_| failing)
}

/// Like [`always_fails`], after other commands: `$?` is then theirs.
fn not_first(node: Node<'_>, text: &str) -> Option<Failing> {
    match node.kind() {
        "command" => command(node, text, false),
        _ => None,
    }
}

fn command(node: Node<'_>, text: &str, follows_failure: bool) -> Option<Failing> {
    let written = word::of_command(node, text);
    let words = wrapper::peeled(&written);
    match program::classify(words) {
        Kind::Exit => {
            let is_failure = match words.get(1) {
                None => follows_failure,
                Some(word) if word.is_status() => follows_failure,
                // Only the lowest eight bits count, and a number that is too large may wrap to 0.
                Some(word) => word
                    .known()
                    .and_then(|text| text.parse::<u8>().ok())
                    .is_some_and(|code| code > 0),
            };
            is_failure.then_some(Failing::EndsShell)
        }
        Kind::Preparation if words.first()?.known() == Some("false") => Some(Failing::HasStatus),
        Kind::Preparation
        | Kind::Question
        | Kind::Source
        | Kind::Check
        | Kind::Set
        | Kind::Trap
        | Kind::Leave
        | Kind::Script(_)
        | Kind::Evaluate
        | Kind::Replace
        | Kind::Hides(_)
        | Kind::Idle(_) => None,
    }
}

/// Whether a statement is a plain preparation, as `echo failed >&2`.
fn is_preparation(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "command" => {
            let words = word::of_command(node, text);
            matches!(program::classify(wrapper::peeled(&words)), Kind::Preparation)
        }
        "redirected_statement" => node
            .child_by_field_name("body")
            .is_some_and(|body| is_preparation(body, text)),
        _ => false,
    }
}
