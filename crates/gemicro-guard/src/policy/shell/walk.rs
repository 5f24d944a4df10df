//! Visits every statement of a parsed program in order, and passes the state along.

use std::cell::RefCell;

use tree_sitter::Node;

use super::program::{self, CommandInput, Program};
use super::redirect::{self, Redirects};
use super::run::PolicyRun;
use super::state::ShellState;
use super::syntax::{children, source, unreadable};
use super::variable;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;

/// Judges a whole parsed program.
pub(super) fn program(
    run: &PolicyRun<'_>,
    text: &str,
    root: Node<'_>,
    state: &mut ShellState,
) -> Result<(), Denial> {
    let walk = ShellWalk {
        run,
        text,
        functions: RefCell::new(Vec::new()),
        calling: RefCell::new(Vec::new()),
    };
    walk.sequence(root, state)
}

/// The walk over one tree.
pub(super) struct ShellWalk<'r, 't> {
    pub(super) run: &'r PolicyRun<'r>,
    pub(super) text: &'t str,
    functions: RefCell<Vec<(String, Node<'t>)>>,
    /// The bodies being judged right now, to stop at recursive functions.
    calling: RefCell<Vec<usize>>,
}

/// The redirections of a statement.
struct AttachedText<'t> {
    nodes: Vec<Node<'t>>,
    /// Whether the word `-` comes before them.
    dash: bool,
    segment: &'t str,
}

impl<'t> ShellWalk<'_, 't> {
    /// Statements one after another.
    fn sequence(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        for (idx, child) in children(node).into_iter().enumerate() {
            if idx > 0 {
                state.settle();
            }
            let in_background = child.next_sibling().is_some_and(|next| next.kind() == "&");
            if in_background {
                self.maybe(child, state)?;
            } else {
                self.statement(child, state)?;
            }
        }
        Ok(())
    }

    /// A statement that may or may not run before the next one.
    fn maybe(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        let mut branch = state.clone();
        self.statement(node, &mut branch)?;
        state.join(branch);
        Ok(())
    }

    /// A statement in its own process.
    fn apart(&self, node: Node<'t>, state: &ShellState) -> Result<(), Denial> {
        self.sequence(node, &mut state.clone())
    }

    pub(super) fn statement(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        match node.kind() {
            "command" => self.command(node, Redirects::default(), state),
            "list" => self.list(node, state),
            "pipeline" => children(node)
                .into_iter()
                .try_for_each(|stage| self.statement(stage, &mut state.clone())),
            "redirected_statement" => self.judge_redirected(node, state),
            "negated_command" | "do_group" => self.sequence(node, state),
            "compound_statement" => {
                // `(( … ))` has no statements in it.
                if source(node, self.text).starts_with("((") {
                    variable::no_index_command(node, self.text)?;
                }
                self.sequence(node, state)
            }
            "subshell" => self.apart(node, state),
            "if_statement" | "elif_clause" | "else_clause" | "case_statement" | "case_item" => {
                self.branches(node, state)
            }
            "while_statement" | "for_statement" | "c_style_for_statement" => self.judge_loop(node, state),
            "function_definition" => self.function(node, state),
            "variable_assignment" => variable::assignment(self, node, state),
            "variable_assignments" => children(node)
                .into_iter()
                .try_for_each(|child| variable::assignment(self, child, state)),
            "declaration_command" => variable::declaration(self, node, state),
            "unset_command" | "test_command" => {
                variable::no_index_command(node, self.text)?;
                self.expression(node, state)
            }
            "comment" => Ok(()),
            // Nodes that are not statements: patterns, conditions, words of a loop.
            _ => self.expression(node, state),
        }
    }

    /// Judges a node that is not a statement: only the commands inside it matter.
    pub(super) fn expression(&self, node: Node<'t>, state: &ShellState) -> Result<(), Denial> {
        match node.kind() {
            "command_substitution" | "process_substitution" => return self.apart(node, state),
            "command" | "redirected_statement" | "list" | "pipeline" | "subshell" | "compound_statement" => {
                return self.statement(node, &mut state.clone());
            }
            "expansion" => variable::expansion(source(node, self.text))?,
            "binary_expression" | "postfix_expression" => {
                variable::judge_arithmetic(source(node, self.text))?
            }
            _ => {}
        }
        children(node)
            .into_iter()
            .try_for_each(|child| self.expression(child, state))
    }

    fn list(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        self.judge_joined(node, state, |right, state| self.statement(right, state))
    }

    /// `left && right`, `left || right`; the right side is judged by `last`.
    fn judge_joined(
        &self,
        node: Node<'t>,
        state: &mut ShellState,
        last: impl FnOnce(Node<'t>, &mut ShellState) -> Result<(), Denial>,
    ) -> Result<(), Denial> {
        let parts = children(node);
        let [left, right] = parts.as_slice() else {
            return Err(unreadable(source(node, self.text)));
        };
        let is_and = left
            .next_sibling()
            .is_some_and(|operator| operator.kind() == "&&");
        if is_and {
            self.statement(*left, state)?;
            let failed = state.succeed();
            last(*right, state)?;
            state.fail(failed);
            return Ok(());
        }
        self.maybe(*left, state)?;
        let mut branch = state.clone();
        last(*right, &mut branch)?;
        state.join(branch);
        Ok(())
    }

    /// Parts that may or may not run: each sees the possible effects of the parts before it.
    fn branches(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        children(node)
            .into_iter()
            .try_for_each(|child| self.maybe(child, state))
    }

    fn judge_loop(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        if let Some(name) = node.child_by_field_name("variable") {
            variable::judge_variable_name(source(name, self.text), source(node, self.text))?;
        }
        let before = std::mem::replace(&mut state.repeats, true);
        self.branches(node, state)?;
        // A second iteration starts from the state that the first one left.
        self.branches(node, state)?;
        state.repeats = before;
        Ok(())
    }

    fn function(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        let segment = source(node, self.text);
        let name = node
            .child_by_field_name("name")
            .map(|name| source(name, self.text))
            .ok_or_else(|| unreadable(segment))?;
        if program::has_meaning(name) {
            let hint = "do not redefine a known command";
            return Err(Denial::new(PolicyRule::Redefinition, segment, hint));
        }
        for child in children(node) {
            if child.kind().ends_with("_redirect") {
                redirect::read(self, child, state)?;
            }
        }
        let body = node
            .child_by_field_name("body")
            .ok_or_else(|| unreadable(segment))?;
        self.functions.borrow_mut().push((name.to_owned(), body));
        self.call(body, state)
    }

    /// Judges a function's body as it would run now.
    fn call(&self, body: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        if self.calling.borrow().contains(&body.id()) {
            // The effects of a recursive call are not followed: the working directory becomes unknown.
            state.lose();
            return Ok(());
        }
        self.calling.borrow_mut().push(body.id());
        let before = std::mem::replace(&mut state.repeats, true);
        let result = self
            .run
            .deeper(source(body, self.text), || self.maybe(body, state));
        state.repeats = before;
        self.calling.borrow_mut().pop();
        result
    }

    fn judge_redirected(&self, node: Node<'t>, state: &mut ShellState) -> Result<(), Denial> {
        let body = node.child_by_field_name("body");
        let nodes: Vec<Node<'t>> = children(node)
            .into_iter()
            .filter(|child| Some(*child) != body)
            .collect();
        let attached = AttachedText {
            // The grammar drops a single `-` before a here-document; `syntax` denies any other dropped text.
            dash: body.zip(nodes.first()).is_some_and(|(body, next)| {
                self.text
                    .get(body.end_byte()..next.start_byte())
                    .is_some_and(|gap| gap.contains('-'))
            }),
            nodes,
            segment: source(node, self.text),
        };
        self.with_redirects(body, &attached, state)
    }

    /// A statement and its redirections. The grammar attaches those of a list or pipeline to the whole, but they belong
    /// to its last command.
    fn with_redirects(
        &self,
        body: Option<Node<'t>>,
        attached: &AttachedText<'t>,
        state: &mut ShellState,
    ) -> Result<(), Denial> {
        match body {
            Some(list) if list.kind() == "list" => {
                return self.judge_joined(list, state, |right, state| {
                    self.with_redirects(Some(right), attached, state)
                });
            }
            Some(pipeline) if pipeline.kind() == "pipeline" => {
                let stages = children(pipeline);
                let (last, before) = stages.split_last().ok_or_else(|| unreadable(attached.segment))?;
                for stage in before {
                    self.statement(*stage, &mut state.clone())?;
                }
                return self.with_redirects(Some(*last), attached, &mut state.clone());
            }
            _ => {}
        }
        let mut redirects = Redirects::default();
        if attached.dash {
            redirects.words.push(ShellWord::literal("-"));
        }
        for node in &attached.nodes {
            redirects.add(redirect::read(self, *node, state)?);
        }
        let after = std::mem::take(&mut redirects.after);
        match body {
            Some(body) if body.kind() == "command" => self.command(body, redirects, state)?,
            Some(body) if redirects.words.is_empty() => self.statement(body, state)?,
            None if redirects.words.is_empty() => {}
            None => self.simple(&redirects.words, redirects.stdin, attached.segment, state)?,
            Some(_) => return Err(unreadable(attached.segment)),
        }
        after.into_iter().try_for_each(|next| self.maybe(next, state))
    }

    fn command(&self, node: Node<'t>, outer: Redirects<'t>, state: &mut ShellState) -> Result<(), Denial> {
        let segment = source(node, self.text);
        let (git_variable, shell_variable) = (state.git_variable.clone(), state.shell_variable.clone());
        let mut words = Vec::new();
        let mut redirects = Redirects::default();
        for idx in 0..node.child_count() {
            let Some(child) = node.child(idx) else {
                continue;
            };
            match child.kind() {
                "comment" => {}
                "variable_assignment" => variable::assignment(self, child, state)?,
                "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                    redirects.add(redirect::read(self, child, state)?);
                }
                "subshell" | "function_definition" => return Err(unreadable(segment)),
                _ if self.is_descriptor(child) => {}
                _ if !child.is_named() => words.push(ShellWord::literal(source(child, self.text))),
                _ => {
                    self.expression(child, state)?;
                    words.push(ShellWord::read(child, self.text)?);
                }
            }
        }
        let after = std::mem::take(&mut redirects.after);
        redirects.add(outer);
        words.append(&mut redirects.words);
        self.simple(&words, redirects.stdin, segment, state)?;
        state.git_variable = git_variable;
        state.shell_variable = shell_variable;
        after.into_iter().try_for_each(|next| self.maybe(next, state))
    }

    /// `0<file`: bash takes the number for a descriptor, the grammar for a word.
    fn is_descriptor(&self, node: Node<'t>) -> bool {
        let is_number = source(node, self.text).bytes().all(|byte| byte.is_ascii_digit());
        let next = self.text.as_bytes().get(node.end_byte());
        is_number && matches!(next, Some(b'<' | b'>'))
    }

    /// One simple command: a call of a function defined in this line, or a program.
    fn simple(
        &self,
        words: &[ShellWord],
        stdin: CommandInput,
        segment: &str,
        state: &mut ShellState,
    ) -> Result<(), Denial> {
        let name = words.first().and_then(ShellWord::exact_text);
        let body = name.and_then(|name| {
            let functions = self.functions.borrow();
            functions
                .iter()
                .rev()
                .find(|(known, _)| known == name)
                .map(|(_, body)| *body)
        });
        if let Some(body) = body {
            self.call(body, state)?;
        }
        let program = Program {
            words,
            stdin,
            segment,
        };
        program::judge(self.run, &program, state)
    }
}
