//! Visits every statement of a command and carries along what becomes of its exit status.

use tree_sitter::Node;

use super::Masked;
use super::ending::{self, Failing};
use super::list::kept;
use super::place::{Fate, Loss, Place};
use super::program;
use super::status::{self, HandsOn};
use super::syntax::{self, children, source};

/// Texts inside texts (`sh -c "sh -c …"`) are followed so far.
const NESTING: usize = 5;

/// Judges a whole command.
pub(super) fn whole(command: &str) -> Result<(), Masked> {
    let mut seen = Seen::default();
    text(command, 0, &Place::whole(), &mut State::default(), &mut seen)?;
    let is_done = |key: &str| seen.checks.iter().any(|check| check == key);
    if let Some((_, masked)) = seen.idle.into_iter().find(|(key, _)| !is_done(key)) {
        return Err(masked);
    }
    if let (false, Some(masked)) = (seen.checks.is_empty(), seen.steps.pop()) {
        return Err(masked);
    }
    if seen.checks.is_empty() {
        let piece = super::short(command);
        let reason = format!(
            "`{piece}` checks nothing: no program in it says by its exit status whether the work is good"
        );
        return Err(Masked::new(&piece, reason));
    }
    Ok(())
}

/// Judges a text as a shell program that stands in a place.
pub(super) fn text(
    text: &str,
    depth: usize,
    place: &Place,
    state: &mut State,
    seen: &mut Seen,
) -> Result<(), Masked> {
    if depth > NESTING {
        return Err(Masked::unreadable(text));
    }
    let tree = syntax::parse(text).ok_or_else(|| Masked::unreadable(text))?;
    let mut walk = Walk { text, depth, seen };
    walk.sequence(&children(tree.root_node()), place, state)
}

/// What was met on the way.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The programs whose status reaches the end.
    pub(super) checks: Vec<String>,
    /// Steps of which nobody would see that they failed.
    pub(super) steps: Vec<Masked>,
    /// Programs that check nothing with their options: one of the same name must check.
    pub(super) idle: Vec<(String, Masked)>,
}

/// The shell as it stands before a statement.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// Whether `set -e` holds.
    pub(super) errexit: bool,
    /// Whether `set -o pipefail` holds. A shell that does not know it fails at that word, so nothing is hidden.
    pub(super) pipefail: bool,
    /// What may have ended the shell, with success, before.
    pub(super) left: Option<String>,
}

impl State {
    /// What holds when the other state may hold as well.
    pub(super) fn join(&mut self, other: Self) {
        self.errexit &= other.errexit;
        self.pipefail &= other.pipefail;
        if self.left.is_none() {
            self.left = other.left;
        }
    }
}

/// The walk over one text.
pub(super) struct Walk<'w> {
    pub(super) text: &'w str,
    pub(super) depth: usize,
    pub(super) seen: &'w mut Seen,
}

impl Walk<'_> {
    /// Statements one after another.
    pub(super) fn sequence(
        &mut self,
        nodes: &[Node<'_>],
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        // Between a status that is kept in a variable and the `exit` with it stands what tidies up.
        let mut tidies = false;
        for (idx, node) in nodes.iter().enumerate() {
            if syntax::is_background(*node) {
                let apart = &mut state.clone();
                self.statement(*node, &place.lost(Loss::Background), apart)?;
                continue;
            }
            let before = state.clone();
            let here = Place {
                is_source: place.is_source || tidies,
                ..place.clone()
            };
            let is_kept = |keeper: &str| status::kept_by_or(*node, self.text) == Some(keeper);
            let by_loop = place.keeper.as_deref().filter(|keeper| is_kept(keeper));
            let handed_on = status::handed_on(&nodes[idx..], self.text);
            match handed_on.or(by_loop.map(|_| HandsOn::Failure)) {
                Some(HandsOn::Failure) => {
                    let left = children(*node).into_iter().take(1);
                    self.sequence(&left.collect::<Vec<_>>(), &kept(Failing::EndsShell, place), state)?;
                    tidies = true;
                }
                Some(HandsOn::FirstStage) => {
                    self.first_stage(*node, place, state)?;
                    tidies = true;
                }
                Some(HandsOn::Whole) => {
                    self.statement(*node, &place.with(place.shell.as_value()), state)?;
                    tidies = true;
                }
                None => {
                    let fate = match nodes.get(idx + 1) {
                        None => place.here.clone(),
                        Some(next) => self.before(*next, place, state),
                    };
                    let keeper = status::kept_by_loop(&nodes[idx..], self.text);
                    tidies |= keeper.is_some();
                    let keeper = keeper.map(str::to_owned).or_else(|| place.keeper.clone());
                    let here = Place { keeper, ..here };
                    self.statement(*node, &here.with(fate), state)?;
                }
            }
            if node.kind() == "list" {
                state.join(before);
            }
        }
        Ok(())
    }

    /// What becomes of the status of a statement that another one follows.
    fn before(&self, next: Node<'_>, place: &Place, state: &State) -> Fate {
        match &place.shell {
            Fate::Lost(loss) => Fate::Lost(loss.clone()),
            Fate::Reaches | Fate::Errexit if state.errexit && !place.is_asked => Fate::Errexit,
            Fate::Reaches | Fate::Errexit => Fate::Lost(Loss::Later(source(next, self.text).to_owned())),
        }
    }

    pub(super) fn statement(
        &mut self,
        node: Node<'_>,
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        match node.kind() {
            "command" => self.command(node, place, state),
            "list" => self.list(node, place, state),
            "pipeline" => self.pipeline(node, place, state),
            "redirected_statement" => self.redirected(node, place, state),
            "negated_command" => self.negated(node, place, state),
            "compound_statement" if source(node, self.text).starts_with("((") => {
                self.question(node, place, state)
            }
            "compound_statement" | "do_group" => self.sequence(&children(node), place, state),
            "subshell" => self.sequence(&children(node), &place.inner(), &mut state.clone()),
            "if_statement" => self.branch(node, place, state),
            "case_statement" => self.apart(node, place.lost(Loss::Branch("case")), state),
            "while_statement" => self.apart(node, place.lost(Loss::Loop("while")), state),
            "c_style_for_statement" => self.apart(node, place.lost(Loss::Loop("for")), state),
            "for_statement" => self.repeated(node, place, state),
            "variable_assignment" | "variable_assignments" => self.assignment(node, place, state),
            "declaration_command" => {
                let word = source(node, self.text)
                    .split_whitespace()
                    .next()
                    .unwrap_or_default();
                children(node)
                    .into_iter()
                    .try_for_each(|child| self.variable(child))?;
                let options = children(node).into_iter().map(|child| source(child, self.text));
                if program::gives_second_name(word, options) {
                    return Err(program::renamed(word));
                }
                self.data(node, &place.lost(Loss::Declaration(word.to_owned())))
            }
            "unset_command" => self.data(node, &place.lost(Loss::Substitution)),
            "test_command" => self.question(node, place, state),
            "comment" => Ok(()),
            _ => Err(Masked::unreadable(source(node, self.text))),
        }
    }

    /// `!`: finding nothing may be what is asked for, as in `! grep -rn TODO src`. `set -e` does not see it fail.
    fn negated(&mut self, node: Node<'_>, place: &Place, state: &mut State) -> Result<(), Masked> {
        let parts = children(node);
        let looks = parts.iter().all(|part| ending::looks(*part, self.text));
        let here = match &place.here {
            Fate::Reaches if looks => Fate::Reaches,
            Fate::Reaches | Fate::Errexit | Fate::Lost(_) => Fate::Lost(Loss::Negation),
        };
        parts
            .into_iter()
            .try_for_each(|part| self.statement(part, &place.asked(here.clone()), state))
    }

    fn redirected(&mut self, node: Node<'_>, place: &Place, state: &mut State) -> Result<(), Masked> {
        let body = node.child_by_field_name("body");
        for child in children(node) {
            if Some(child) == body {
                self.statement(child, place, state)?;
            } else {
                self.data(child, &place.lost(Loss::Substitution))?;
            }
        }
        Ok(())
    }

    /// `x=$(…)`: the status of the last substitution is that of the assignment.
    fn assignment(&mut self, node: Node<'_>, place: &Place, state: &State) -> Result<(), Masked> {
        self.variable(node)?;
        children(node)
            .into_iter()
            .try_for_each(|child| self.variable(child))?;
        let mut substitutions = Vec::new();
        find_substitutions(node, &mut substitutions);
        let Some((last, before)) = substitutions.split_last() else {
            return Ok(());
        };
        for substitution in before {
            self.data(*substitution, &place.lost(Loss::Substitution))?;
        }
        let inner = Place {
            is_source: true,
            ..place.inner()
        };
        let mut apart = State {
            errexit: false,
            ..state.clone()
        };
        self.sequence(&children(*last), &inner, &mut apart)
    }

    /// Something that is not a statement: only the commands inside it matter, and their status is lost.
    pub(super) fn data(&mut self, node: Node<'_>, place: &Place) -> Result<(), Masked> {
        let mut substitutions = Vec::new();
        find_substitutions(node, &mut substitutions);
        let inner = Place {
            is_source: true,
            ..place.clone()
        };
        substitutions.into_iter().try_for_each(|substitution| {
            self.sequence(&children(substitution), &inner, &mut State::default())
        })
    }

    /// `[ … ]`: its status may be used up by what asks for it.
    fn question(&mut self, node: Node<'_>, place: &Place, state: &State) -> Result<(), Masked> {
        self.data(node, &place.lost(Loss::Substitution))?;
        self.asked(source(node, self.text), place, state)
    }

    /// A question: lost only where nobody asks.
    pub(super) fn asked(&mut self, piece: &str, place: &Place, state: &State) -> Result<(), Masked> {
        match &place.here {
            Fate::Lost(_) if place.is_asked || place.is_source => Ok(()),
            _ if program::asks_nothing(piece) => Ok(()),
            Fate::Lost(_) | Fate::Errexit | Fate::Reaches => self.check("test", piece, place, state),
        }
    }

    /// A program that checks something: its status must come through.
    pub(super) fn check(
        &mut self,
        key: &str,
        piece: &str,
        place: &Place,
        state: &State,
    ) -> Result<(), Masked> {
        reaches(piece, place, state)?;
        self.seen.checks.push(key.to_owned());
        Ok(())
    }
}

/// Whether a status comes through.
pub(super) fn reaches(piece: &str, place: &Place, state: &State) -> Result<(), Masked> {
    if let Some(left) = &state.left {
        let piece = super::short(piece);
        let reason = format!("`{left}` can end the check with success before `{piece}` runs");
        return Err(Masked::new(left, reason));
    }
    match &place.here {
        Fate::Reaches | Fate::Errexit => Ok(()),
        Fate::Lost(loss) => Err(loss.of(piece)),
    }
}

/// The outermost substitutions in a node, itself included, in order.
fn find_substitutions<'t>(node: Node<'t>, found: &mut Vec<Node<'t>>) {
    if matches!(node.kind(), "command_substitution" | "process_substitution") {
        found.push(node);
        return;
    }
    for child in children(node) {
        find_substitutions(child, found);
    }
}
