//! A status that is saved in a variable and ends the shell later: `make test; rc=$?; rm -rf tmp; exit $rc`.

use gemicro_guard::policy::shell_reader::{Node, children, source};

use super::command::words;
use super::failing_command::{is_background, is_joined, may_leave};

/// Whether a statement saves the status of the one before, and the shell ends with what it saved.
pub(super) fn is_saved(node: Node<'_>, after: &[Node<'_>], text: &str) -> bool {
    variable(node, text).is_some_and(|name| ends_with(name, after, text))
}

/// The left side of `make test || rc=$?`, where the shell ends with what was saved.
pub(super) fn saved_failure<'t>(node: Node<'t>, after: &[Node<'_>], text: &str) -> Option<Node<'t>> {
    let (left, name) = saved_by_list(node, text)?;
    ends_with(name, after, text).then_some(left)
}

/// The variable in `rc=$?`.
fn variable<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let is_assignment = node.kind() == "variable_assignment" && !is_background(node);
    let (name, value) = source(node, text).split_once('=').filter(|_| is_assignment)?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // Those that a shell itself changes, such as `RANDOM`, are in capitals.
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

/// Whether statements end with `exit $name`, and nothing before leaves or sets the variable, but to another failure.
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

/// Whether a text neither leaves the shell nor names the variable, except to read it.
fn leaves_alone(text: &str, name: &str) -> bool {
    let read = text
        .replace(&format!("${name}"), "")
        .replace(&format!("${{{name}}}"), "");
    let mut words = read.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    !may_leave(text) && words.all(|word| word != name)
}
