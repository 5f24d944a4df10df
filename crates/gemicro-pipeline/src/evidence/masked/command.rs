//! Judges one simple command where it stands.

use tree_sitter::Node;

use super::Masked;
use super::place::{Loss, Place};
use super::program::{self, Kind, Script};
use super::syntax::{children, source};
use super::variable;
use super::walk::{self, State, Walk};
use super::word::{self, Word};
use super::wrapper;

impl Walk<'_> {
    pub(super) fn command(&mut self, node: Node<'_>, place: &Place, state: &mut State) -> Result<(), Masked> {
        for child in children(node) {
            self.data(child, &place.lost(Loss::Substitution))?;
            self.variable(child)?;
        }
        let words = word::of_command(node, self.text);
        self.simple(&words, source(node, self.text), place, state)
    }

    /// `NAME=value`: it may change what a program runs.
    pub(super) fn variable(&self, node: Node<'_>) -> Result<(), Masked> {
        if node.kind() != "variable_assignment" {
            return Ok(());
        }
        variable::of_assignment(&Word::read(node, self.text)).map_or(Ok(()), Err)
    }

    fn simple(
        &mut self,
        words: &[Word],
        piece: &str,
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        // `env` and `make` take variables as words.
        let replaced = words.iter().skip(1).find_map(variable::of_assignment);
        let peeled = wrapper::peeled(words);
        match (program::classify(peeled), replaced) {
            (Kind::Hides(masked), _) | (_, Some(masked)) => Err(masked),
            (kind, None) => self.kind(kind, peeled.words, piece, place, state),
        }
    }

    fn kind(
        &mut self,
        kind: Kind,
        words: &[Word],
        piece: &str,
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        match kind {
            Kind::Preparation => Ok(()),
            Kind::Question => self.asked(piece, place, state),
            Kind::Source | Kind::Look | Kind::Step if place.is_source => Ok(()),
            Kind::Step => {
                self.seen.steps.extend(walk::reaches(piece, place, state).err());
                Ok(())
            }
            Kind::Source | Kind::Look | Kind::Check => self.check(&program::key(words), piece, place, state),
            Kind::Set => set(words, state),
            Kind::Trap => self.trap(words, piece, place),
            Kind::Exit | Kind::Leave => {
                let code = words
                    .get(1)
                    .and_then(Word::known)
                    .and_then(|text| text.parse::<u8>().ok());
                if code.is_none_or(|code| code == 0) {
                    state.left = Some(super::short(piece));
                }
                Ok(())
            }
            Kind::Script(script) => self.script(&script, piece, place, state),
            Kind::Evaluate => {
                let known: Option<Vec<&str>> = words.iter().skip(1).map(Word::known).collect();
                let joined = known.ok_or_else(|| Masked::unreadable(piece))?.join(" ");
                walk::text(&joined, self.depth + 1, place, state, self.seen)
            }
            Kind::Replace => {
                let rest = replacing(words);
                if rest.is_empty() {
                    return Ok(());
                }
                self.simple(rest, piece, &place.with(place.shell.clone()), state)?;
                state.left = Some(super::short(piece));
                Ok(())
            }
            Kind::Hides(masked) => Err(masked),
            Kind::Idle(masked) => {
                self.seen.idle.push((program::key(words), masked));
                Ok(())
            }
        }
    }

    /// A shell of its own: what `set -e` does outside does not reach into it.
    fn script(&mut self, script: &Script, piece: &str, place: &Place, state: &State) -> Result<(), Masked> {
        let text = script.text.as_deref().ok_or_else(|| Masked::unreadable(piece))?;
        let inner = Place {
            is_asked: false,
            ..place.inner()
        };
        let mut fresh = State {
            errexit: script.errexit,
            pipefail: script.pipefail,
            left: state.left.clone(),
        };
        walk::text(text, self.depth + 1, &inner, &mut fresh, self.seen)
    }

    /// A trap may tidy up; it must not end the shell in its own way.
    fn trap(&mut self, words: &[Word], piece: &str, place: &Place) -> Result<(), Masked> {
        let Some(action) = words.get(1) else {
            return Ok(());
        };
        let action = action.known().ok_or_else(|| Masked::unreadable(piece))?;
        if matches!(action, "" | "-" | "-l" | "-p") {
            return Ok(());
        }
        let inner = Place {
            is_source: true,
            ..place.lost(Loss::Trap)
        };
        let mut state = State::default();
        walk::text(action, self.depth + 1, &inner, &mut state, self.seen)?;
        match state.left {
            None => Ok(()),
            Some(_) => {
                let piece = super::short(piece);
                let reason = format!("`{piece}` puts an exit status of its own in place of the check's");
                Err(Masked::new(&piece, reason))
            }
        }
    }
}

/// What `exec` puts in the place of the shell: `exec -a name program`.
fn replacing(words: &[Word]) -> &[Word] {
    let mut at = 1;
    while let Some(option) = words
        .get(at)
        .and_then(Word::known)
        .filter(|text| text.starts_with('-'))
    {
        at += if option.ends_with('a') { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

/// `set -e`, `set -euo pipefail`; turning one off again is a mask.
fn set(words: &[Word], state: &mut State) -> Result<(), Masked> {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.known().ok_or_else(|| Masked::unreadable(&word.source))?;
        let turns_on = text.starts_with('-');
        if text == "--" || !text.starts_with(['-', '+']) {
            return Ok(());
        }
        let named = if text.ends_with('o') {
            rest.next().and_then(Word::known)
        } else {
            None
        };
        if turns_on && (text.contains('n') || named == Some("noexec")) {
            let reason = format!("after `set {text}` nothing is run any more");
            return Err(Masked::new(&format!("set {text}"), reason));
        }
        let errexit = text.contains('e') || named == Some("errexit");
        let pipefail = named == Some("pipefail");
        if !turns_on && (errexit || pipefail) {
            let piece = format!("set {text}");
            let reason = format!("`{piece}` lets commands after it fail unseen");
            return Err(Masked::new(&piece, reason));
        }
        state.errexit |= errexit;
        state.pipefail |= pipefail;
    }
    Ok(())
}
