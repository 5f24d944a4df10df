//! Which statements always fail: the right sides of `||` that keep a failure a failure.

use tree_sitter::Node;

use super::program::{self, Kind};
use super::status;
use super::syntax::{children, is_background, source};
use super::word::{self, Word};
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
            // Whether the left side fails or the right one: it is a failure.
            (is_and && stays(*left, text))
                .then(|| not_first(*right, text))
                .flatten()
                .map(|_| Failing::HasStatus)
        }
        _ => None,
    }
}

/// Like [`always_fails`] for statements one after another: nothing that ends the shell, and a failure at the end.
pub(super) fn all_fail(statements: &[Node<'_>], text: &str) -> Option<Failing> {
    let (last, before) = statements.split_last()?;
    let in_background = statements.iter().any(|node| is_background(*node));
    if in_background || !before.iter().all(|node| stays(*node, text)) {
        return None;
    }
    if before.is_empty() {
        return always_fails(*last, text);
    }
    if status::keeps_failure(statements, text) {
        return Some(Failing::EndsShell);
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
    let peeled = wrapper::peeled(&written);
    let words = peeled.words;
    match program::classify(peeled) {
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
        | Kind::Look
        | Kind::Step
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

/// Whether a statement looks for something: `grep -q x file`.
pub(super) fn looks(node: Node<'_>, text: &str) -> bool {
    kind(node, text).is_some_and(|kind| matches!(kind, Kind::Look))
}

/// Whether the shell surely goes on after a statement: it cannot end it, nor change how it goes on.
pub(super) fn stays(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "pipeline" => return children(node).into_iter().all(|stage| stays(stage, text)),
        "variable_assignment" => return true,
        _ => {}
    }
    let goes_on = |kind: Kind| {
        matches!(
            kind,
            Kind::Preparation
                | Kind::Question
                | Kind::Source
                | Kind::Look
                | Kind::Step
                | Kind::Check
                | Kind::Script(_)
                | Kind::Idle(_)
        )
    };
    !is_program(node, &[".", "source"], text) && kind(node, text).is_some_and(goes_on)
}

/// Whether a simple command is one of these programs.
pub(super) fn is_program(node: Node<'_>, names: &[&str], text: &str) -> bool {
    let words = simple(node, text).unwrap_or_default();
    let first = wrapper::peeled(&words).words.first();
    first
        .and_then(Word::known)
        .is_some_and(|name| names.contains(&name))
}

/// What a simple command is; nothing for other statements.
fn kind(node: Node<'_>, text: &str) -> Option<Kind> {
    let words = simple(node, text)?;
    Some(program::classify(wrapper::peeled(&words)))
}

/// The words of a simple command, redirections apart.
fn simple(node: Node<'_>, text: &str) -> Option<Vec<Word>> {
    match node.kind() {
        "command" => Some(word::of_command(node, text)),
        "redirected_statement" => simple(node.child_by_field_name("body")?, text),
        _ => None,
    }
}
