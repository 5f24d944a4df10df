//! Redirections: a written file must be in the worktree, and input may be a shell's script.

use tree_sitter::Node;

use super::program::{self, CommandInput};
use super::run::PolicyRun;
use super::state::ShellState;
use super::syntax::{children, source, unreadable};
use super::walk::ShellWalk;
use super::word::{ShellWord, holes};
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;

/// The results of the redirections of one statement.
#[derive(Default)]
pub(super) struct Redirects<'t> {
    /// Where standard input comes from.
    pub(super) stdin: CommandInput,
    /// Words after a redirection, which belong to the command before it.
    pub(super) words: Vec<ShellWord>,
    /// Statements that the grammar puts under a here-document: the rest of its line.
    pub(super) after: Vec<Node<'t>>,
}

impl<'t> Redirects<'t> {
    /// Adds another redirection of the same statement.
    pub(super) fn add(&mut self, other: Redirects<'t>) {
        if other.stdin != CommandInput::Inherited {
            self.stdin = match self.stdin {
                CommandInput::Inherited => other.stdin,
                // Two inputs: the last one wins in bash. No command needs two, so the input counts as unknown.
                CommandInput::Script(_) | CommandInput::Other => CommandInput::Other,
            };
        }
        self.words.extend(other.words);
        self.after.extend(other.after);
    }
}

pub(super) fn read<'t>(
    walk: &ShellWalk<'_, 't>,
    node: Node<'t>,
    state: &ShellState,
) -> Result<Redirects<'t>, Denial> {
    match node.kind() {
        "file_redirect" => file(walk, node, state),
        "heredoc_redirect" => heredoc(walk, node, state),
        "herestring_redirect" => {
            walk.expression(node, state)?;
            let word = children(node)
                .into_iter()
                .find(|child| child.kind() != "file_descriptor")
                .map(|child| ShellWord::read(child, walk.text))
                .transpose()?;
            let text = word.and_then(|word| word.text);
            Ok(Redirects {
                stdin: text.map_or(CommandInput::Other, CommandInput::Script),
                ..Redirects::default()
            })
        }
        _ => Err(unreadable(source(node, walk.text))),
    }
}

fn file<'t>(walk: &ShellWalk<'_, 't>, node: Node<'t>, state: &ShellState) -> Result<Redirects<'t>, Denial> {
    let segment = source(node, walk.text);
    let operator = (0..node.child_count())
        .filter_map(|idx| node.child(idx))
        .find(|child| !child.is_named())
        .map(|child| child.kind())
        .ok_or_else(|| unreadable(segment))?;
    let mut words = Vec::new();
    for child in children(node) {
        walk.expression(child, state)?;
        if child.kind() != "file_descriptor" {
            words.push(ShellWord::read(child, walk.text));
        }
    }
    let mut words = words.into_iter();
    let first = words.next();
    let is_substitution = |word: &ShellWord| word.source.starts_with("<(") || word.source.starts_with(">(");
    let mut stdin = CommandInput::Inherited;
    match (operator, first) {
        ("<", Some(word)) => {
            if let Ok(word) = &word {
                program::no_secret(word)?;
            }
            stdin = CommandInput::Other;
        }
        ("<&" | "<&-", _) => stdin = CommandInput::Other,
        (">&" | ">&-", None) => {}
        (">&", Some(word)) => {
            let word = word?;
            let is_copy = word
                .exact_text()
                .is_some_and(|text| text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()));
            if !is_copy && !is_substitution(&word) {
                judge_written_path(walk.run, &word, segment, state)?;
            }
        }
        (">" | ">>" | ">|" | "&>" | "&>>", Some(word)) => {
            let word = word?;
            if !is_substitution(&word) {
                judge_written_path(walk.run, &word, segment, state)?;
            }
        }
        _ => return Err(unreadable(segment)),
    }
    Ok(Redirects {
        stdin,
        words: words.collect::<Result<_, _>>()?,
        after: Vec::new(),
    })
}

fn heredoc<'t>(
    walk: &ShellWalk<'_, 't>,
    node: Node<'t>,
    state: &ShellState,
) -> Result<Redirects<'t>, Denial> {
    let mut found = Redirects {
        stdin: CommandInput::Other,
        ..Redirects::default()
    };
    let mut quoted = false;
    let strips_tabs = source(node, walk.text).starts_with("<<-");
    for child in children(node) {
        match child.kind() {
            "heredoc_start" => quoted = source(child, walk.text).contains(['\'', '"', '\\']),
            "heredoc_end" | "file_descriptor" => {}
            "heredoc_body" => {
                walk.expression(child, state)?;
                let body = source(child, walk.text);
                if !quoted {
                    all_seen(child, body)?;
                }
                let is_static = quoted || !body.contains(['$', '`', '\\']);
                if is_static {
                    let strip = |line: &str| line.trim_start_matches('\t').to_owned();
                    let text = if strips_tabs {
                        body.lines().map(strip).collect::<Vec<_>>().join("\n")
                    } else {
                        body.to_owned()
                    };
                    found.stdin = CommandInput::Script(text);
                }
            }
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                found.add(read(walk, child, state)?);
            }
            "word"
            | "string"
            | "raw_string"
            | "concatenation"
            | "number"
            | "ansi_c_string"
            | "expansion"
            | "simple_expansion"
            | "command_substitution"
            | "process_substitution"
            | "translated_string" => {
                walk.expression(child, state)?;
                found.words.push(ShellWord::read(child, walk.text)?);
            }
            _ => found.after.push(child),
        }
    }
    Ok(found)
}

/// Checks that each substitution in an unquoted here-document, which the shell runs, is a node of the tree.
fn all_seen(node: Node<'_>, body: &str) -> Result<(), Denial> {
    let holes = holes(node);
    let mut chars = body.char_indices().peekable();
    let mut skip_until = 0;
    while let Some((at, c)) = chars.next() {
        if at < skip_until {
            continue;
        }
        if let Some((_, end)) = holes.iter().find(|(start, _)| *start == at) {
            skip_until = *end;
            continue;
        }
        match c {
            '\\' => {
                chars.next();
            }
            '`' => return Err(unreadable(body)),
            '$' if matches!(chars.peek(), Some((_, '(' | '{' | '['))) => return Err(unreadable(body)),
            _ => {}
        }
    }
    Ok(())
}

/// Judges a path that is written.
pub(super) fn judge_written_path(
    run: &PolicyRun<'_>,
    word: &ShellWord,
    segment: &str,
    state: &ShellState,
) -> Result<(), Denial> {
    let Some(path) = word.exact_text() else {
        let hint = "write to a literal path inside the worktree";
        return Err(Denial::new(PolicyRule::DynamicPath, segment, hint));
    };
    if word.tilde || path.is_empty() {
        return Err(Denial::new(
            PolicyRule::OutsideWorktree,
            segment,
            "write inside the worktree only",
        ));
    }
    if is_stream(path) {
        return Ok(());
    }
    let Some(places) = state.resolve(path) else {
        let hint = "the working directory is not known here; do not use `cd` before writing";
        return Err(Denial::new(PolicyRule::DynamicPath, segment, hint));
    };
    places
        .iter()
        .try_for_each(|place| run.roots.writable(place, segment))
}

/// Devices that lead back to the command's own streams, or nowhere.
fn is_stream(path: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    matches!(
        path,
        "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full"
    ) || path.strip_prefix("/dev/fd/").is_some_and(is_number)
}
