//! Judges statements that are joined: lists of `&&` and `||`, and pipelines.

use tree_sitter::Node;

use super::Masked;
use super::ending::{self, Failing};
use super::place::{Fate, Loss, Place};
use super::syntax::{children, source};
use super::walk::{State, Walk};

impl Walk<'_> {
    /// `left && right`, `left || right`. The state afterwards is that of a success.
    pub(super) fn list(&mut self, node: Node<'_>, place: &Place, state: &mut State) -> Result<(), Masked> {
        self.joined(node, &[], place, state)
    }

    /// A list of which the right side is the first stage of a pipeline with these stages after it.
    fn joined(
        &mut self,
        list: Node<'_>,
        stages: &[Node<'_>],
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        let parts = children(list);
        let [left, right] = parts.as_slice() else {
            return Err(Masked::unreadable(source(list, self.text)));
        };
        let all: Vec<_> = std::iter::once(*right).chain(stages.iter().copied()).collect();
        if left.next_sibling().is_some_and(|token| token.kind() == "&&") {
            let here = match &place.here {
                Fate::Reaches => Fate::Reaches,
                Fate::Errexit => Fate::Lost(Loss::LeftOfAnd),
                Fate::Lost(loss) => Fate::Lost(loss.clone()),
            };
            self.statement(*left, &place.asked(here), state)?;
            // Where nobody looks at the list, a left side that fails skips the right one unseen.
            let right = match &place.here {
                Fate::Reaches => place.clone(),
                Fate::Errexit => place.lost(Loss::Skipped(source(*left, self.text).to_owned())),
                Fate::Lost(loss) => Place {
                    is_asked: place.is_asked,
                    ..place.lost(loss.clone())
                },
            };
            return self.stages(&all, &right, state);
        }
        let failing = if stages.is_empty() {
            ending::always_fails(*right, self.text)
        } else {
            None
        };
        if let Some(failing) = failing {
            return self.statement(*left, &kept(failing, place), state);
        }
        let right_text = source(*right, self.text).to_owned();
        let before = state.clone();
        self.statement(*left, &place.asked(Fate::Lost(Loss::Or(right_text))), state)?;
        let left_text = source(*left, self.text).to_owned();
        self.stages(&all, &place.lost(Loss::AfterFailure(left_text)), state)?;
        state.join(before);
        Ok(())
    }

    /// A pipeline. The grammar takes `a && b 2>&1 | c` for `{ a && b; } 2>&1 | c`: that is put right here.
    pub(super) fn pipeline(
        &mut self,
        node: Node<'_>,
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        let stages = children(node);
        // `a | b | c || d` is read as `a | { b | c || d; }`: with a list in a later stage nothing is certain.
        if stages.iter().skip(1).any(|stage| is_kind(*stage, "list")) {
            return Err(Masked::unreadable(source(node, self.text)));
        }
        let first = stages.first().copied();
        let body = first.and_then(|first| match first.kind() {
            "redirected_statement" => first.child_by_field_name("body"),
            _ => Some(first),
        });
        match body {
            Some(body) if body.kind() == "list" => {
                for child in first
                    .into_iter()
                    .flat_map(children)
                    .filter(|child| *child != body)
                {
                    self.data(child, &place.lost(Loss::Substitution))?;
                }
                self.joined(body, &stages[1..], place, state)
            }
            Some(_) | None => self.stages(&stages, place, state),
        }
    }

    /// A pipeline of which the first stage alone gives the status.
    pub(super) fn first_stage(
        &mut self,
        pipeline: Node<'_>,
        place: &Place,
        state: &State,
    ) -> Result<(), Masked> {
        let stages = children(pipeline);
        if stages.iter().any(|stage| is_kind(*stage, "list")) {
            return Err(Masked::unreadable(source(pipeline, self.text)));
        }
        for (idx, stage) in stages.iter().enumerate() {
            let inner = if idx == 0 {
                place.with(place.shell.clone()).inner()
            } else {
                Place {
                    is_source: true,
                    ..place.lost(Loss::Later("exit".to_owned()))
                }
            };
            self.statement(*stage, &inner, &mut state.clone())?;
        }
        Ok(())
    }

    /// Stages, each in a shell of its own; a single one is a statement like any other.
    fn stages(&mut self, stages: &[Node<'_>], place: &Place, state: &mut State) -> Result<(), Masked> {
        if let [only] = stages {
            return self.statement(*only, place, state);
        }
        // A `!` before the first stage turns the whole pipeline round.
        let turned = Place {
            is_asked: true,
            ..place.lost(Loss::Negation)
        };
        let is_turned = stages
            .first()
            .is_some_and(|stage| is_kind(*stage, "negated_command"));
        let place = if is_turned { &turned } else { place };
        for (idx, stage) in stages.iter().enumerate() {
            let mut inner = match stages.get(idx + 1) {
                Some(next) if !state.pipefail => place.lost(Loss::Pipe(source(*next, self.text).to_owned())),
                Some(_) | None => place.inner(),
            };
            inner.is_source |= idx + 1 < stages.len();
            self.statement(*stage, &inner, &mut state.clone())?;
        }
        Ok(())
    }
}

/// The place of a statement whose failure is followed by a statement that always fails.
pub(super) fn kept(failing: Failing, place: &Place) -> Place {
    match failing {
        Failing::EndsShell => place.asked(place.shell.as_value()),
        Failing::HasStatus => place.asked(place.here.as_value()),
    }
}

/// Whether a stage is of this kind, redirections apart.
fn is_kind(stage: Node<'_>, kind: &str) -> bool {
    match stage.kind() {
        "redirected_statement" => stage
            .child_by_field_name("body")
            .is_some_and(|body| is_kind(body, kind)),
        other => other == kind,
    }
}
