//! Recognises statements that always fail, and so preserve a preceding failure.

use gemicro_guard::policy::shell_reader::{Node, children, source};

use super::command::{CommandWord, words};
use super::statement_place::StatementPlace;

/// The way in which a statement always fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailingCommand {
    /// It exits the shell with a failure.
    EndsShell,
    /// It returns a failure status.
    HasStatus,
}

impl FailingCommand {
    /// Returns the place of a statement whose failure leads to this one.
    pub(super) fn place_before(self, place: &StatementPlace) -> StatementPlace {
        match self {
            Self::EndsShell => place.when_asked(place.shell.as_value()),
            Self::HasStatus => place.when_asked(place.here.as_value()),
        }
    }
}

/// Returns true for a background statement: `statement &`.
pub(super) fn is_background(node: Node<'_>) -> bool {
    node.next_sibling().is_some_and(|next| next.kind() == "&")
}

/// A statement without its redirections.
pub(super) fn body(node: Node<'_>) -> Node<'_> {
    match node.child_by_field_name("body") {
        Some(inner) if node.kind() == "redirected_statement" => body(inner),
        Some(_) | None => node,
    }
}

/// Returns true for a search, where no match may be the desired result: `grep -q x file`.
pub(super) fn looks(node: Node<'_>, text: &str) -> bool {
    let words = words(body(node), text);
    let mut known = words.iter().filter_map(CommandWord::exact_text);
    match known.next() {
        Some("git") => known.next() == Some("grep"),
        Some(name) => name.ends_with("grep") || name == "rg",
        None => false,
    }
}

/// Returns how a statement always fails, or `None` if it may succeed. After a failure, `$?` is a failure too.
pub(super) fn always_fails(node: Node<'_>, follows_failure: bool, text: &str) -> Option<FailingCommand> {
    let node = body(node);
    let all_fail = || all_fail(&children(node), follows_failure, text);
    match node.kind() {
        "command" => {
            let words = words(node, text);
            let is_failure = match words.get(1) {
                None => follows_failure,
                Some(word) => word.is_failure() || (follows_failure && word.is_status()),
            };
            match words.first()?.exact_text()? {
                "false" => Some(FailingCommand::HasStatus),
                "exit" if is_failure => Some(FailingCommand::EndsShell),
                _ => None,
            }
        }
        "compound_statement" if !source(node, text).starts_with("((") => all_fail(),
        "subshell" => all_fail().map(|_| FailingCommand::HasStatus),
        // It fails whichever side fails.
        "list" => match children(node).as_slice() {
            [left, right] if is_joined(*left, "&&") && !may_leave(source(*left, text)) => {
                always_fails(*right, false, text).map(|_| FailingCommand::HasStatus)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Like [`always_fails`], for a sequence of statements.
pub(super) fn all_fail(statements: &[Node<'_>], follows_failure: bool, text: &str) -> Option<FailingCommand> {
    let (last, before) = statements.split_last()?;
    let is_certain = |node: &Node<'_>| !is_background(*node) && !may_leave(source(*node, text));
    if !before.iter().all(is_certain) || is_background(*last) {
        return None;
    }
    always_fails(*last, follows_failure && before.is_empty(), text)
}

/// Returns the program that decides an `if` whose failure branch always fails: `if ! a; then exit 1; fi`,
/// `if a; then …; else exit 1; fi`.
pub(super) fn deciding_program<'t>(node: Node<'t>, text: &str) -> Option<(Node<'t>, FailingCommand)> {
    let is_if = matches!(node.kind(), "if_statement" | "elif_clause");
    let parts = children(node);
    let n_conditions = (0..node.child_count())
        .filter_map(|idx| node.child(idx))
        .take_while(|child| child.kind() != "then")
        .filter(|child| is_statement(child.kind()))
        .count();
    let (condition, branches) = parts.split_first().filter(|_| is_if && n_conditions == 1)?;
    let is_other = |part: &&Node<'_>| matches!(part.kind(), "elif_clause" | "else_clause");
    if condition.kind() == "negated_command" {
        let then: Vec<Node<'_>> = branches
            .iter()
            .take_while(|part| !is_other(part))
            .copied()
            .collect();
        // In that branch, `$?` is the status of the negation.
        let failing = all_fail(&then, false, text)?;
        let [program] = children(*condition)[..] else {
            return None;
        };
        return Some((program, failing));
    }
    let other = branches
        .iter()
        .find(is_other)
        .filter(|part| part.kind() == "else_clause")?;
    let failing = all_fail(&children(*other), true, text)?;
    Some((*condition, failing))
}

/// Returns true if a statement exits the shell with the previous status: `exit`, `exit $?`.
pub(super) fn hands_on(next: Node<'_>, text: &str) -> bool {
    let words = words(next, text);
    let is_exit = words.first().and_then(CommandWord::exact_text) == Some("exit");
    is_exit && !is_background(next) && words.get(1).is_none_or(CommandWord::is_status)
}

pub(super) fn is_joined(left: Node<'_>, operator: &str) -> bool {
    left.next_sibling().is_some_and(|token| token.kind() == operator)
}

/// Returns true if a text has a word that may end the shell or jump elsewhere.
pub(super) fn may_leave(text: &str) -> bool {
    const LEAVING: &[&str] = &[
        ".", "break", "continue", "eval", "exec", "exit", "return", "source",
    ];
    let is_edge = |c: char| c.is_whitespace() || ";|&(){}\"'".contains(c);
    text.split(is_edge).any(|word| LEAVING.contains(&word))
}

pub(super) fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || kind.ends_with("_command")
        || matches!(kind, "command" | "list" | "pipeline" | "subshell")
}
