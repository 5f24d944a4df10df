//! Judges statements of which a part may run or not: `if`, `case`, loops.

use tree_sitter::Node;

use super::Masked;
use super::ending;
use super::list::kept;
use super::place::{Fate, Loss, Place};
use super::syntax::{all_children, children};
use super::walk::{State, Walk};
use super::word;

impl Walk<'_> {
    /// `if`: honest where the other way always fails.
    pub(super) fn branch(&mut self, node: Node<'_>, place: &Place, state: &mut State) -> Result<(), Masked> {
        let mut condition = Vec::new();
        let mut body = Vec::new();
        let mut otherwise = Vec::new();
        let mut is_body = false;
        let mut has_more = false;
        for child in all_children(node) {
            match child.kind() {
                "then" => is_body = true,
                "else_clause" => otherwise = children(child),
                "elif_clause" => has_more = true,
                _ if !child.is_named() || child.kind() == "comment" => {}
                _ if is_body => body.push(child),
                _ => condition.push(child),
            }
        }
        if !has_more && let Some(failing) = ending::all_fail(&otherwise, self.text) {
            self.sequence(&condition, &kept(failing, place), state)?;
            return self.sequence(&body, place, state);
        }
        if let [negated] = condition.as_slice()
            && !has_more
            && negated.kind() == "negated_command"
            && let Some(failing) = ending::all_fail_negated(&body, self.text)
        {
            self.sequence(&children(*negated), &kept(failing, place), state)?;
            return self.sequence(&otherwise, place, state);
        }
        // `if grep …; then exit 1; fi`: finding something is the failure.
        if let [looking] = condition.as_slice()
            && !has_more
            && otherwise.is_empty()
            && ending::looks(*looking, self.text)
            && let Some(failing) = ending::all_fail_negated(&body, self.text)
        {
            return self.sequence(&condition, &kept(failing, place), state);
        }
        let asked = Place {
            is_asked: true,
            ..place.lost(Loss::Condition("if"))
        };
        self.sequence(&condition, &asked, state)?;
        self.apart_all(&body, &place.lost(Loss::Branch("if")), state)?;
        for child in all_children(node) {
            if matches!(child.kind(), "elif_clause" | "else_clause") {
                self.apart(child, place.lost(Loss::Branch("if")), state)?;
            }
        }
        Ok(())
    }

    /// `for x in words`: the last round counts, unless a failure ends the shell.
    pub(super) fn repeated(
        &mut self,
        node: Node<'_>,
        place: &Place,
        state: &mut State,
    ) -> Result<(), Masked> {
        let body = node.child_by_field_name("body");
        let words: Vec<_> = children(node)
            .into_iter()
            .filter(|child| Some(*child) != body && child.kind() != "variable_name")
            .collect();
        for word in &words {
            self.data(*word, &place.lost(Loss::Substitution))?;
        }
        let mut inner = place.lost(Loss::Loop("for"));
        if words.iter().any(|word| !word::has_hole(*word)) {
            inner.shell = place.shell.clone();
            inner.is_asked = place.is_asked;
            inner.keeper.clone_from(&place.keeper);
            if state.errexit && !place.is_asked && !matches!(place.shell, Fate::Lost(_)) {
                inner.here = Fate::Errexit;
            }
        }
        let body: Vec<_> = body.into_iter().collect();
        self.apart_all(&body, &inner, state)
    }

    /// Everything inside a statement of which any part may run or not.
    pub(super) fn apart(&mut self, node: Node<'_>, place: Place, state: &mut State) -> Result<(), Masked> {
        for child in children(node) {
            match child.kind() {
                "elif_clause" | "else_clause" | "case_item" => self.apart(child, place.clone(), state)?,
                "do_group" => self.apart_all(&children(child), &place, state)?,
                kind if is_statement(kind) => {
                    let asked = Place {
                        is_asked: true,
                        ..place.clone()
                    };
                    self.apart_all(&[child], &asked, state)?;
                }
                _ => self.data(child, &place.lost(Loss::Substitution))?,
            }
        }
        Ok(())
    }

    /// Statements that may run or not.
    fn apart_all(&mut self, nodes: &[Node<'_>], place: &Place, state: &mut State) -> Result<(), Masked> {
        let mut branch = state.clone();
        self.sequence(nodes, place, &mut branch)?;
        state.join(branch);
        Ok(())
    }
}

fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || kind.ends_with("_command")
        || matches!(
            kind,
            "command" | "list" | "pipeline" | "subshell" | "function_definition"
        )
}
