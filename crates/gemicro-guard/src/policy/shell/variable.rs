//! Assignments: which variables make git or a shell do something else.

use tree_sitter::Node;

use super::state::ShellState;
use super::syntax::{children, source, unreadable};
use super::walk::ShellWalk;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;

/// Variables that make git start or read something else.
const GIT_READS: &[&str] = &[
    "PAGER",
    "EDITOR",
    "VISUAL",
    "HOME",
    "XDG_CONFIG_HOME",
    "SSH_ASKPASS",
    "LESSOPEN",
    "BROWSER",
];
/// Variables that make a shell run something before its program.
const SHELL_READS: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS0",
    "PS4",
    "PROMPT_COMMAND",
    "ZDOTDIR",
];

pub(super) fn assignment<'t>(
    walk: &ShellWalk<'_, 't>,
    node: Node<'t>,
    state: &mut ShellState,
) -> Result<(), Denial> {
    let segment = source(node, walk.text);
    walk.expression(node, state)?;
    let name = node
        .child_by_field_name("name")
        .map(|name| source(name, walk.text))
        .ok_or_else(|| unreadable(segment))?;
    let name = name.split('[').next().unwrap_or_default();
    let value = node.child_by_field_name("value");
    if let Some(value) = value {
        no_index_command(value, walk.text)?;
    }
    let value = value.map(|value| source(value, walk.text)).unwrap_or_default();
    set(name, value, segment, state)
}

/// Refuses quoted text that arithmetic would run: the index in `a[$(…)]` is expanded when `a[…]` is computed, tested or
/// set, long after its quotes are gone.
pub(super) fn no_index_command(node: Node<'_>, text: &str) -> Result<(), Denial> {
    let is_text = matches!(
        node.kind(),
        "raw_string" | "string" | "ansi_c_string" | "word" | "concatenation"
    );
    if is_text {
        let word = ShellWord::read(node, text)?;
        return no_index_command_in(&word);
    }
    if matches!(node.kind(), "command_substitution" | "process_substitution") {
        return Ok(());
    }
    children(node)
        .into_iter()
        .try_for_each(|child| no_index_command(child, text))
}

/// The same for one word.
pub(super) fn no_index_command_in(word: &ShellWord) -> Result<(), Denial> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = word.exact_text().unwrap_or_default();
    let runs = text.match_indices('[').any(|(at, _)| {
        let (before, index) = text.split_at(at);
        before.ends_with(is_name) && (index.contains("$(") || index.contains('`'))
    });
    if runs {
        let hint = "the shell would run the command in this array index; run it separately";
        return Err(Denial::new(PolicyRule::ShellInput, word.source.clone(), hint));
    }
    Ok(())
}

/// Records that a variable was set, by any syntax; `value` is as written.
pub(super) fn set(name: &str, value: &str, segment: &str, state: &mut ShellState) -> Result<(), Denial> {
    // An empty `CDPATH` only switches the search off.
    if name != "CDPATH" || !value.is_empty() {
        judge_variable_name(name, segment)?;
    }
    let loads_code = name.starts_with("LD_") || name.starts_with("DYLD_");
    if GIT_READS.contains(&name) || loads_code || (name == "PATH" && !keeps_programs(value)) {
        state.git_variable = Some(name.to_owned());
    }
    if SHELL_READS.contains(&name) || loads_code || name.starts_with("BASH_FUNC_") {
        state.shell_variable = Some(name.to_owned());
    }
    Ok(())
}

/// Refuses names that no line may set.
pub(super) fn judge_variable_name(name: &str, segment: &str) -> Result<(), Denial> {
    if name.starts_with("GIT_") {
        let hint = "gemicro sets git's variables; do not change them";
        return Err(Denial::new(PolicyRule::Environment, segment, hint));
    }
    if name == "CDPATH" {
        let hint = "with this variable, `cd` can lead anywhere; do not set it";
        return Err(Denial::new(PolicyRule::Environment, segment, hint));
    }
    Ok(())
}

/// Judges an arithmetic expression, which may set the variable that it begins with.
pub(super) fn judge_arithmetic(text: &str) -> Result<(), Denial> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    judge_variable_name(&text[..end.unwrap_or(text.len())], text)
}

/// Judges `export`, `declare`, `local`, `readonly`, `typeset`.
pub(super) fn declaration<'t>(
    walk: &ShellWalk<'_, 't>,
    node: Node<'t>,
    state: &mut ShellState,
) -> Result<(), Denial> {
    let segment = source(node, walk.text);
    let is_export = segment.starts_with("export");
    for child in children(node) {
        match child.kind() {
            "variable_assignment" => assignment(walk, child, state)?,
            "variable_name" => judge_variable_name(source(child, walk.text), segment)?,
            _ => {
                walk.expression(child, state)?;
                let word = ShellWord::read(child, walk.text)?;
                judge_declaration(&word, is_export, segment, state)?;
            }
        }
    }
    Ok(())
}

/// Judges one argument of `export` and similar builtins, or of `env`.
pub(super) fn judge_declaration(
    word: &ShellWord,
    is_export: bool,
    segment: &str,
    state: &mut ShellState,
) -> Result<(), Denial> {
    no_index_command_in(word)?;
    let deny = |hint: &str| Denial::new(PolicyRule::Environment, segment, hint);
    let name_end = word.prefix.find('=');
    match (word.exact_text(), name_end) {
        (_, Some(end)) => {
            let value = word.source.split_once('=').map_or("", |(_, value)| value);
            set(
                &word.prefix[..end],
                value.trim_end_matches(['"', '\'']),
                segment,
                state,
            )
        }
        // A name reference (`declare -n`) would hide which variable is set.
        (Some(option), None) if option.starts_with('-') && !is_export && option.contains('n') => {
            Err(deny("do not use name references (`declare -n`)"))
        }
        (Some(text), None) if text.contains("$(") || text.contains('`') => {
            Err(deny("do not put commands in variable names"))
        }
        (Some(name), None) => judge_variable_name(name, segment),
        (None, None) => Err(deny("write the variable's name literally")),
    }
}

/// Judges `${…}` by its text: forms that set a variable or run its value.
pub(super) fn expansion(text: &str) -> Result<(), Denial> {
    let inside = text.trim_start_matches("${").trim_end_matches('}');
    if inside.ends_with("@P") {
        let hint = "this expansion runs the variable's value as code; leave it out";
        return Err(Denial::new(PolicyRule::ShellInput, text, hint));
    }
    if inside.starts_with("GIT_") && inside.contains('=') {
        return judge_variable_name(inside, text);
    }
    Ok(())
}

/// Whether a new `PATH` only adds folders of installed programs, so that `git` stays git.
fn keeps_programs(value: &str) -> bool {
    const INSTALLED: &[&str] = &[
        "$HOME/.",
        "${HOME}/.",
        "~/.",
        "/usr/",
        "/bin",
        "/sbin",
        "/opt/",
        "/snap/",
        "/nix/",
    ];
    let value = value.trim_matches(['"', '\'']);
    value.split(':').all(|entry| {
        let is_old = entry == "$PATH" || entry == "${PATH}";
        let is_installed = INSTALLED.iter().any(|start| entry.starts_with(start));
        is_old || (is_installed && !entry.contains("..") && !entry.contains('`') && !entry.contains("$("))
    })
}
