//! Command lines in pages: the program must know every command, flag and value in them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::page::Page;
use crate::program::World;

/// Every flag of every command.
static FLAGS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let script = World::new().must(&["completions", "bash"]).stdout;
    let words = script.split(|c: char| !(c == '-' || c.is_ascii_alphanumeric()));
    words
        .filter(|word| word.starts_with("--"))
        .map(str::to_owned)
        .collect()
});

/// What the program does not know in the command lines and flags of a page.
pub(super) fn problems(page: &Page) -> Vec<String> {
    let spans = page.spans.iter().map(String::as_str);
    let lines: BTreeSet<&str> = page
        .blocks
        .iter()
        .flat_map(|block| block.command_lines())
        .chain(spans.clone().filter(|span| span.starts_with("gemicro ")))
        .collect();
    let world = World::new();
    let mut problems: Vec<String> = Vec::new();
    for arguments in lines.into_iter().flat_map(calls) {
        problems.extend(refusal(&world, &arguments));
    }
    let flags = spans
        .filter(|span| span.starts_with("--"))
        .flat_map(str::split_whitespace);
    let unknown: BTreeSet<&str> = flags
        .filter(|word| word.starts_with("--") && !FLAGS.contains(*word))
        .collect();
    problems.extend(
        unknown
            .into_iter()
            .map(|flag| format!("no command has the flag {flag}")),
    );
    problems
}

/// With `--help` behind them, arguments are parsed and not carried out.
fn refusal(world: &World, arguments: &[String]) -> Option<String> {
    let mut asked: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let end = asked.iter().position(|word| *word == "--").unwrap_or(asked.len());
    asked.insert(end, "--help");
    let called = world.call(&asked);
    (called.code != 0).then(|| format!("gemicro {}\n  {}", arguments.join(" "), called.stderr.trim()))
}

/// The arguments of every call of gemicro in a line of shell.
fn calls(line: &str) -> Vec<Vec<String>> {
    let arguments = simple_commands(line).into_iter().filter_map(|words| {
        let is_variable = |word: &&str| word.contains('=') && !word.starts_with('-');
        let words: Vec<&str> = words.iter().map(String::as_str).skip_while(is_variable).collect();
        let cargo = || words.strip_prefix(&["cargo", "run", "--release", "--"][..]);
        let rest = words.strip_prefix(&["gemicro"][..]).or_else(cargo)?;
        Some(rest.iter().map(|word| (*word).to_owned()).collect())
    });
    arguments.collect()
}

/// A line split into simple commands and their words, without comments and quotes. Redirections count as the beginning
/// of another command, which does no harm here.
fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('"'), '\\') | (None, '\\') => word.get_or_insert_default().extend(rest.next()),
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '|' | '&' | ';' | '(' | ')' | '<' | '>') => {
                commands.last_mut().unwrap().extend(word.take());
                if c != ' ' {
                    commands.push(Vec::new());
                }
            }
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut().unwrap().extend(word);
    commands
}
