//! Visits every statement of a command and tracks what happens to its exit status.

use gemicro_guard::policy::shell_reader::{Node, children, parse, source};

use super::failing_command::{self, body};
use super::saved_status;
use super::statement_place::{ExitFate, Loss, StatementPlace};
use super::{MaskedFailure, short};

/// Maximum depth of nested scripts (`sh -c "sh -c …"`).
const NESTING: usize = 5;

/// Judges a whole command.
pub(super) fn whole(command: &str) -> Result<(), MaskedFailure> {
    let mut has_check = false;
    let mut walk = MaskWalk {
        text: command,
        depth: 0,
        has_check: &mut has_check,
    };
    walk.read(&StatementPlace::default(), &mut StatementState::default())?;
    if has_check {
        return Ok(());
    }
    let nothing = "checks nothing: its exit status does not depend on a test or another check";
    let reason = format!("`{}` {nothing}", short(command));
    Err(MaskedFailure::new(command, reason))
}

/// The state of the shell before a statement.
#[derive(Debug, Clone, Default)]
pub(super) struct StatementState {
    /// Whether `set -e` is on.
    pub(super) errexit: bool,
    /// Whether `set -o pipefail` is on. A shell without that option fails on it, so nothing is hidden.
    pub(super) pipefail: bool,
    /// The command that may already have ended the shell with success.
    pub(super) left: Option<String>,
}

impl StatementState {
    /// Keeps only what is true in both states.
    fn join(&mut self, other: Self) {
        self.errexit &= other.errexit;
        self.pipefail &= other.pipefail;
        self.left = self.left.take().or(other.left);
    }
}

/// The walk over one script.
pub(super) struct MaskWalk<'w> {
    pub(super) text: &'w str,
    pub(super) depth: usize,
    /// Whether the status of at least one checking program reaches the end.
    pub(super) has_check: &'w mut bool,
}

impl MaskWalk<'_> {
    /// Judges a script inside this one.
    pub(super) fn judge_nested(
        &mut self,
        text: &str,
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        let (depth, has_check) = (self.depth + 1, &mut *self.has_check);
        MaskWalk {
            text,
            depth,
            has_check,
        }
        .read(place, state)
    }

    fn read(&mut self, place: &StatementPlace, state: &mut StatementState) -> Result<(), MaskedFailure> {
        let tree = (self.depth <= NESTING).then(|| parse(self.text)).flatten();
        let tree = tree.ok_or_else(|| MaskedFailure::unreadable(self.text))?;
        self.sequence(&children(tree.root_node()), place, state)
    }

    /// Judges statements in sequence.
    fn sequence(
        &mut self,
        nodes: &[Node<'_>],
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        for (idx, node) in nodes.iter().enumerate() {
            let before = state.clone();
            let here = match nodes.get(idx + 1) {
                None => place.here.clone(),
                Some(next) if failing_command::hands_on(*next, self.text) => place.shell.as_value(),
                Some(next) if saved_status::is_saved(*next, &nodes[idx + 2..], self.text) => {
                    place.shell.as_value()
                }
                Some(next) => {
                    let after = " and replaces its exit status: join them with `&&`";
                    let loss = Loss::new(source(*next, self.text), "`{}` comes after ", after);
                    by_errexit(place, state, loss)
                }
            };
            match saved_status::saved_failure(*node, &nodes[idx + 1..], self.text) {
                Some(left) => self.statement(left, &place.when_asked(place.shell.as_value()), state)?,
                None => self.statement(*node, &place.with(here), state)?,
            }
            if node.kind() == "list" {
                state.join(before);
            }
        }
        Ok(())
    }

    fn statement(
        &mut self,
        node: Node<'_>,
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        let written = source(node, self.text);
        let (background, mut apart) = (
            Loss::new("&", "`&` does not wait for the exit status of ", ""),
            state.clone(),
        );
        let lost = place.where_lost(background);
        let (place, state) = match failing_command::is_background(node) {
            true => (&lost, &mut apart),
            false => (place, state),
        };
        match node.kind() {
            "command" => self.command(node, place, state),
            "list" => self.list(node, &[], place, state),
            "pipeline" => self.pipeline(node, place, state),
            "redirected_statement" => {
                // In this grammar, the rest of the line after `<<EOF` belongs to the redirection.
                let is_known = |part: &Node<'_>| part.kind().starts_with("heredoc_");
                let is_hidden =
                    |redirect: &Node<'_>| is_known(redirect) && !children(*redirect).iter().all(is_known);
                if children(node).iter().any(is_hidden) || body(node) == node {
                    return Err(MaskedFailure::unreadable(written));
                }
                self.statement(body(node), place, state)
            }
            "negated_command" => {
                let inner = children(node);
                let looks = inner.iter().all(|part| failing_command::looks(*part, self.text));
                let is_meant = looks && matches!(place.here, ExitFate::Reaches);
                let here = if is_meant {
                    ExitFate::Reaches
                } else {
                    ExitFate::Lost(negation())
                };
                self.sequence(&inner, &place.when_asked(here), state)
            }
            "compound_statement" if !written.starts_with("((") => {
                self.sequence(&children(node), place, state)
            }
            "subshell" => self.sequence(&children(node), &place.inner(), &mut state.clone()),
            "if_statement"
            | "case_statement"
            | "while_statement"
            | "for_statement"
            | "c_style_for_statement" => {
                let keyword = written.split_whitespace().next().unwrap_or_default();
                self.branches(node, keyword, place, state)
            }
            "compound_statement" | "test_command" => self.question(place, state),
            // A program in `$(…)` may be run only for its output, so it is not judged.
            "variable_assignment" if written.contains("$(") => self.question(place, state),
            "variable_assignment" | "variable_assignments" | "declaration_command" | "unset_command" => {
                Ok(())
            }
            _ => Err(MaskedFailure::unreadable(written)),
        }
    }

    /// Judges `left && right` and `left || right`, where `stages` follow the right side in a pipeline. Afterwards the
    /// state is that of a success.
    fn list(
        &mut self,
        node: Node<'_>,
        stages: &[Node<'_>],
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        let parts = children(node);
        let [left, right] = parts.as_slice() else {
            return Err(MaskedFailure::unreadable(source(node, self.text)));
        };
        let all = [&[*right], stages].concat();
        if left.next_sibling().is_some_and(|token| token.kind() == "&&") {
            let place = match &place.here {
                ExitFate::Reaches => place.clone(),
                ExitFate::Errexit => {
                    let after = " fail in a list of `&&`: write it on its own line";
                    place.where_lost(Loss::new("&&", "`set -e` does not see ", after))
                }
                ExitFate::Lost(loss) => place.where_lost(loss.clone()),
            };
            self.statement(*left, &place.when_asked(place.here.clone()), state)?;
            return self.stages(&all, &place, state);
        }
        let failing = failing_command::always_fails(*right, true, self.text).filter(|_| stages.is_empty());
        if let Some(failing) = failing {
            return self.statement(*left, &failing.place_before(place), state);
        }
        let before = state.clone();
        let right = format!("|| {}", source(*right, self.text));
        let loss = Loss::new(&right, "`{}` hides the exit status of ", "");
        self.statement(*left, &place.when_asked(ExitFate::Lost(loss)), state)?;
        let loss = Loss::new(source(*left, self.text), "only a failure of `{}` starts ", "");
        self.stages(&all, &place.where_lost(loss), state)?;
        state.join(before);
        Ok(())
    }

    /// Judges a pipeline. The grammar parses `a && b 2>&1 | c` as `{ a && b; } 2>&1 | c`, which is corrected here.
    fn pipeline(
        &mut self,
        node: Node<'_>,
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        let stages = children(node);
        // `a | b | c || d` is parsed as `a | { b | c || d; }`, so a list in a later stage cannot be judged.
        let is_list = |stage: &Node<'_>| body(*stage).kind() == "list";
        match stages.split_first() {
            Some((_, later)) if later.iter().any(is_list) => {
                Err(MaskedFailure::unreadable(source(node, self.text)))
            }
            Some((first, later)) if is_list(first) => self.list(body(*first), later, place, state),
            Some(_) | None => self.stages(&stages, place, state),
        }
    }

    /// Judges pipeline stages, each in its own subshell. A single stage is an ordinary statement.
    fn stages(
        &mut self,
        stages: &[Node<'_>],
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        if let [only] = stages {
            return self.statement(*only, place, state);
        }
        // A `!` before the first stage negates the whole pipeline.
        let is_negated = |stage: &Node<'_>| body(*stage).kind() == "negated_command";
        let place = match stages.first() {
            Some(first) if is_negated(first) => place.where_lost(negation()),
            Some(_) | None => place.inner(),
        };
        for (idx, stage) in stages.iter().enumerate() {
            let inner = match stages.get(idx + 1) {
                Some(next) if !state.pipefail => {
                    let piece = format!("| {}", source(*next, self.text));
                    let after = ": leave it out, or start with `set -o pipefail`";
                    place.where_lost(Loss::new(&piece, "`{}` hides the exit status of ", after))
                }
                Some(_) | None => place.clone(),
            };
            self.statement(*stage, &inner, &mut state.clone())?;
        }
        Ok(())
    }

    /// Judges `if`, `case` and loops. A failure in a body counts only through `set -e` or by exiting the shell, and
    /// one in a condition only if its failure branch always fails. Whether a branch or iteration runs is not
    /// examined.
    fn branches(
        &mut self,
        node: Node<'_>,
        keyword: &str,
        place: &StatementPlace,
        state: &mut StatementState,
    ) -> Result<(), MaskedFailure> {
        let loss = Loss::new(
            keyword,
            "`{}` hides the exit status of ",
            ": add `|| exit 1` to it",
        );
        let body = place.with(by_errexit(place, state, loss.clone()));
        let decided = failing_command::deciding_program(node, self.text);
        let condition = match decided {
            Some((_, failing)) => failing.place_before(place),
            None => place.when_asked(ExitFate::Lost(loss)),
        };
        let mut is_condition = ["if_statement", "elif_clause", "while_statement"].contains(&node.kind());
        for child in (0..node.child_count()).filter_map(|idx| node.child(idx)) {
            let before = state.clone();
            let inner = if is_condition { &condition } else { &body };
            match child.kind() {
                "then" => is_condition = false,
                "elif_clause" | "else_clause" | "case_item" | "do_group" => {
                    self.branches(child, keyword, place, state)?;
                }
                kind if failing_command::is_statement(kind) => {
                    let asked = decided.map(|(asked, _)| asked).filter(|_| is_condition);
                    self.statement(asked.unwrap_or(child), inner, state)?;
                }
                _ => {}
            }
            state.join(before);
        }
        Ok(())
    }

    /// Judges `[ … ]`: a check if its status reaches the end, otherwise just a condition.
    #[expect(clippy::unnecessary_wraps, reason = "it is one of many kinds of statements")]
    pub(super) fn question(
        &mut self,
        place: &StatementPlace,
        state: &StatementState,
    ) -> Result<(), MaskedFailure> {
        *self.has_check |= state.left.is_none() && !matches!(place.here, ExitFate::Lost(_));
        Ok(())
    }
}

/// Returns the fate of a status that gets lost unless `set -e` acts on it.
fn by_errexit(place: &StatementPlace, state: &StatementState, loss: Loss) -> ExitFate {
    match &place.shell {
        ExitFate::Lost(outer) => ExitFate::Lost(outer.clone()),
        ExitFate::Reaches | ExitFate::Errexit if state.errexit && !place.is_asked => ExitFate::Errexit,
        ExitFate::Reaches | ExitFate::Errexit => ExitFate::Lost(loss),
    }
}

fn negation() -> Loss {
    Loss::new("!", "`!` inverts the exit status of ", "")
}
