//! Judges one simple command: finds out whether its exit status can get lost.

use gemicro_guard::policy::shell_reader::{Node, children, is_shell, known_word, source};

use super::statement_place::{ExitFate, StatementPlace};
use super::walk::{MaskWalk, StatementState};
use super::{MaskedFailure, short};

/// Commands that check nothing: they may fail unnoticed, and on their own they prove nothing.
const IDLE: &[&str] = &[
    ".", ":", "cat", "chmod", "cp", "date", "echo", "export", "false", "hash", "jobs", "let", "ln", "ls",
    "mkdir", "mv", "popd", "printf", "pwd", "read", "readonly", "rm", "rmdir", "shift", "shopt", "sleep",
    "source", "tee", "touch", "true", "type", "ulimit", "umask", "unset", "wait", "which",
];

/// A word of a command.
#[derive(Debug, Clone)]
pub(super) struct CommandWord<'t> {
    text: Option<String>,
    pub(super) source: &'t str,
}

impl<'t> CommandWord<'t> {
    pub(super) fn read(node: Node<'_>, text: &'t str) -> Self {
        Self {
            text: known_word(node, text),
            source: source(node, text),
        }
    }

    /// The exact text, if it is known before the command runs.
    pub(super) fn exact_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the program name. An absolute path counts by its last part; a relative path is never a builtin.
    fn program(&self) -> Option<&str> {
        let path = self.exact_text()?;
        let base = path.rsplit('/').next().filter(|_| path.starts_with('/'));
        Some(base.unwrap_or(path))
    }

    /// Returns true for the status of the previous command: `$?`, also in quotes.
    pub(super) fn is_status(&self) -> bool {
        matches!(self.source, "$?" | "\"$?\"" | "${?}" | "\"${?}\"")
    }

    /// Returns true for a non-zero exit code of at most 255.
    pub(super) fn is_failure(&self) -> bool {
        let code = self.exact_text().and_then(|text| text.parse::<u8>().ok());
        code.is_some_and(|code| code > 0)
    }

    fn is_option(&self) -> bool {
        self.source.starts_with(['-', '+'])
    }

    /// Returns true for a short option, or a group of them, with this letter.
    fn has_letter(&self, letter: char) -> bool {
        let letters = self.source.strip_prefix('-').unwrap_or_default();
        !letters.starts_with('-') && letters.contains(letter)
    }
}

/// Returns the words of a simple command, without assignments and redirections; empty for other statements.
pub(super) fn words<'t>(node: Node<'_>, text: &'t str) -> Vec<CommandWord<'t>> {
    let is_word =
        |child: &Node<'_>| !child.kind().ends_with("_redirect") && child.kind() != "variable_assignment";
    let parts = (node.kind() == "command").then(|| children(node));
    let words = parts.into_iter().flatten().filter(is_word);
    words.map(|child| CommandWord::read(child, text)).collect()
}

impl MaskWalk<'_> {
    pub(super) fn command(
        &mut self,
        node: Node<'_>,
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        self.simple(&words(node, self.text), source(node, self.text), place, state)
    }

    fn simple(
        &mut self,
        words: &[CommandWord<'_>],
        piece: &str,
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        let Some((first, rest)) = words.split_first() else {
            return Ok(());
        };
        let Some(name) = first.program() else {
            let reason = format!(
                "cannot tell which program `{}` runs: write its name",
                short(first.source)
            );
            return Err(MaskedFailure::new(first.source, reason));
        };
        let has_option = rest.first().is_some_and(CommandWord::is_option);
        let after_options = || {
            let n_options = rest.iter().take_while(|word| word.is_option()).count();
            &rest[n_options..]
        };
        match name {
            "command" | "builtin" if has_option => Ok(()),
            "command" | "builtin" | "time" => self.simple(after_options(), piece, place, state),
            "exec" if after_options().is_empty() => Ok(()),
            "exec" => {
                self.simple(after_options(), piece, &place.with(place.shell.clone()), state)?;
                state.left = Some(short(piece));
                Ok(())
            }
            "exit" | "return" | "break" | "continue" => {
                if !rest.first().is_some_and(CommandWord::is_failure) {
                    state.left = Some(short(piece));
                }
                Ok(())
            }
            "set" => set(rest, state),
            // A trap may clean up, but must not set the exit status.
            "trap"
                if piece.contains("exit") || rest.first().is_some_and(|word| word.exact_text().is_none()) =>
            {
                let reason = format!("`{}` replaces the check's exit status", short(piece));
                Err(MaskedFailure::new(piece, reason))
            }
            "trap" => Ok(()),
            "eval" => {
                let known: Option<Vec<&str>> = rest.iter().map(CommandWord::exact_text).collect();
                let joined = known.ok_or_else(|| MaskedFailure::unreadable(piece))?.join(" ");
                self.judge_nested(&joined, place, state)
            }
            "[" | "test" => self.question(place, state),
            // It checks nothing, but the commands after it depend on it.
            "cd" | "pushd" => reaches(piece, place, state),
            _ if IDLE.contains(&name) => Ok(()),
            _ if let Some((options, text)) = script(words) => {
                let text = text.ok_or_else(|| MaskedFailure::unreadable(piece))?;
                // A new shell: the outer `set -e` does not apply inside it.
                let (mut inner, mut fresh) = (place.inner(), StatementState::default());
                inner.is_asked = false;
                fresh.left.clone_from(&state.left);
                set(options, &mut fresh)?;
                self.judge_nested(text, &inner, &mut fresh)
            }
            _ => {
                reaches(piece, place, state)?;
                *self.has_check = true;
                Ok(())
            }
        }
    }
}

/// Returns an error if the status of this command can get lost.
fn reaches(piece: &str, place: &StatementPlace, state: &StatementState) -> Result<(), MaskedFailure> {
    if let Some(left) = &state.left {
        let piece = short(piece);
        let reason = format!("`{left}` can end the check with success before `{piece}` runs");
        return Err(MaskedFailure::new(left, reason));
    }
    match &place.here {
        ExitFate::Reaches | ExitFate::Errexit => Ok(()),
        ExitFate::Lost(loss) => Err(loss.of(piece)),
    }
}

/// Returns the options and script of a shell invocation, whichever program starts it: `timeout 9 bash -ec '…'`.
fn script<'w, 't>(words: &'w [CommandWord<'t>]) -> Option<(&'w [CommandWord<'t>], Option<&'w str>)> {
    let is_name = |word: &CommandWord<'_>| word.program().is_some_and(is_shell);
    let after = &words[words.iter().position(is_name)? + 1..];
    let is_option = |word: &&CommandWord<'_>| word.is_option() || word.exact_text() == Some("pipefail");
    let (options, rest) = after.split_at(after.iter().take_while(is_option).count());
    let takes_text = options.iter().any(|word| word.has_letter('c'));
    takes_text.then(|| (options, rest.first().and_then(CommandWord::exact_text)))
}

/// Applies `set -e` or `set -euo pipefail`. Turning one of them off masks failures.
fn set(options: &[CommandWord<'_>], state: &mut StatementState) -> Result<(), MaskedFailure> {
    let is_off = |word: &&CommandWord<'_>| word.source.starts_with('+') && word.source.contains(['e', 'o']);
    if let Some(off) = options.iter().find(is_off) {
        let reason = format!("`set {}` hides failures of the commands after it", off.source);
        return Err(MaskedFailure::new(&format!("set {}", off.source), reason));
    }
    let has = |name: &str| options.iter().any(|word| word.exact_text() == Some(name));
    state.errexit |= has("errexit") || options.iter().any(|word| word.has_letter('e'));
    state.pipefail |= has("pipefail");
    Ok(())
}
