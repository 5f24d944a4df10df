//! Words of a command after quote removal, where that can be known before the command runs.

use tree_sitter::Node;

use super::syntax::{children, source};
use super::table;

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its exact text, if that is known.
    pub(super) text: Option<String>,
    /// As written.
    pub(super) source: String,
}

/// Nodes whose value is only known when the command runs.
const HOLES: &[&str] = &[
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
    "ansi_c_string",
    "translated_string",
];

impl Word {
    /// Reads the word that a node stands for.
    pub(super) fn read(node: Node<'_>, text: &str) -> Self {
        let source = source(node, text);
        let text = if has_hole(node) { None } else { unquoted(source) };
        Self {
            text,
            source: source.to_owned(),
        }
    }

    /// The exact text, if it is known.
    pub(super) fn known(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The last part of a known path: the name of a program.
    pub(super) fn base(&self) -> Option<&str> {
        self.known().map(|text| text.rsplit('/').next().unwrap_or(text))
    }

    /// The name of a program without what its version or its place in the project adds: `./gradlew` is `gradle`.
    pub(super) fn program(&self) -> Option<&str> {
        let name = self.base()?;
        if name.starts_with("python") {
            return Some("python");
        }
        let alias = table::ALIASES.iter().find(|(alias, _)| *alias == name);
        Some(alias.map_or(name, |(_, program)| program))
    }

    /// Whether it names a program of the project by its path: never a builtin, whatever its name.
    pub(super) fn is_own_program(&self) -> bool {
        self.known()
            .is_some_and(|text| text.contains('/') && !text.starts_with('/'))
    }

    /// Whether it is the status of the command before: `$?`, also in quotes.
    pub(super) fn is_status(&self) -> bool {
        matches!(self.source.as_str(), "$?" | "\"$?\"" | "${?}" | "\"${?}\"")
    }
}

/// The words of a simple command, from its name on; assignments and redirections are left out.
pub(super) fn of_command(node: Node<'_>, text: &str) -> Vec<Word> {
    children(node)
        .into_iter()
        .filter(|child| !child.kind().ends_with("_redirect") && child.kind() != "variable_assignment")
        .map(|child| Word::read(child, text))
        .collect()
}

/// Whether a part of the node is only known when the command runs.
pub(super) fn has_hole(node: Node<'_>) -> bool {
    HOLES.contains(&node.kind()) || children(node).into_iter().any(has_hole)
}

/// Removes quotes; nothing when one is not closed.
fn unquoted(source: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => text.push(escaped),
            },
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    c => text.push(c),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        '\n' => {}
                        c @ ('$' | '`' | '"' | '\\') => text.push(c),
                        c => text.extend(['\\', c]),
                    },
                    c => text.push(c),
                }
            },
            c => text.push(c),
        }
    }
    Some(text)
}
