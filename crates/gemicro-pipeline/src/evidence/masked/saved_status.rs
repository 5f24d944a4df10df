//! Recognises a status that is saved in a variable and returned later: `make test; rc=$?; rm -rf tmp; exit $rc`.

use gemicro_guard::policy::shell_reader::{Node, children, source};

use super::command::words;
use super::failing_command::{is_background, is_joined, may_leave};

/// Returns true if a statement saves the previous status and the shell later exits with it.
pub(super) fn is_saved(node: Node<'_>, after: &[Node<'_>], text: &str) -> bool {
    variable(node, text).is_some_and(|name| ends_with(name, after, text))
}

/// Returns the left side of `make test || rc=$?` if the shell later exits with the saved status.
pub(super) fn saved_failure<'t>(node: Node<'t>, after: &[Node<'_>], text: &str) -> Option<Node<'t>> {
    let (left, name) = saved_by_list(node, text)?;
    ends_with(name, after, text).then_some(left)
}

/// Returns the variable in `rc=$?`.
fn variable<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let is_assignment = node.kind() == "variable_assignment" && !is_background(node);
    let (name, value) = source(node, text).split_once('=').filter(|_| is_assignment)?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // Variables that the shell itself changes, such as `RANDOM`, are upper case.
    let is_plain = is_name && name.starts_with(|c: char| c.is_ascii_lowercase());
    (is_plain && matches!(value, "$?" | "\"$?\"" | "${?}")).then_some(name)
}

fn saved_by_list<'n, 't>(node: Node<'n>, text: &'t str) -> Option<(Node<'n>, &'t str)> {
    match children(node)[..] {
        [left, right] if node.kind() == "list" && is_joined(left, "||") && !is_background(node) => {
            Some((left, variable(right, text)?))
        }
        _ => None,
    }
}

/// Returns true if the statements end with `exit $name` and none before that exits, or sets the variable except to
/// another failure.
fn ends_with(name: &str, statements: &[Node<'_>], text: &str) -> bool {
    let Some((last, between)) = statements.split_last() else {
        return false;
    };
    let forms = [
        format!("${name}"),
        format!("\"${name}\""),
        format!("${{{name}}}"),
        format!("\"${{{name}}}\""),
    ];
    let is_exit = match &words(*last, text)[..] {
        [exit, status] => exit.exact_text() == Some("exit") && forms.iter().any(|form| form == status.source),
        _ => false,
    };
    let keeps = |node: &Node<'_>| match saved_by_list(*node, text) {
        Some((left, other)) if other == name => leaves_alone(source(left, text), name),
        Some(_) | None => leaves_alone(source(*node, text), name),
    };
    is_exit && !is_background(*last) && between.iter().all(keeps)
}

/// Returns true if a text neither exits the shell nor uses the variable, except to read it.
fn leaves_alone(text: &str, name: &str) -> bool {
    let read = text
        .replace(&format!("${name}"), "")
        .replace(&format!("${{{name}}}"), "");
    let mut words = read.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    !may_leave(text) && words.all(|word| word != name)
}
