//! Says what a simple command is: a program that checks something, or one of the few that do not.

use super::Masked;
use super::code;
use super::option_table;
use super::options::{self, Effect};
use super::shell;
use super::table;
use super::word::Word;
use super::wrapper::{self, Peeled};

/// What a simple command is.
#[derive(Debug)]
pub(super) enum Kind {
    /// It prepares or tells something.
    Preparation,
    /// It answers a question: `test -f x`.
    Question,
    /// It checks something, unless it supplies text to something else.
    Source,
    /// The same, and finding nothing may be the good news: `grep`.
    Look,
    /// It checks nothing; still what follows needs it: `cd app`, `npm ci`.
    Step,
    /// It checks something.
    Check,
    /// `set`.
    Set,
    /// `trap`.
    Trap,
    /// `exit`.
    Exit,
    /// `break`, `continue`.
    Leave,
    /// A shell with a text to run.
    Script(Script),
    /// `eval`.
    Evaluate,
    /// `exec`.
    Replace,
    /// Its status says nothing.
    Hides(Masked),
    /// It checks nothing with these options.
    Idle(Masked),
}

/// A shell with a text to run.
#[derive(Debug)]
pub(super) struct Script {
    /// The text, if it is known.
    pub(super) text: Option<String>,
    /// Whether it starts with `-e`.
    pub(super) errexit: bool,
    /// Whether it starts with `-o pipefail`.
    pub(super) pipefail: bool,
}

/// Says what a command is.
pub(super) fn classify(peeled: Peeled<'_>) -> Kind {
    let words = peeled.words;
    let Some(first) = words.first() else {
        return Kind::Preparation;
    };
    let Some(name) = first.program() else {
        let reason = format!(
            "which program `{}` is cannot be known before it runs: name it",
            first.source
        );
        return Kind::Hides(Masked::new(&first.source, reason));
    };
    if let Some(kind) = shell::script(words).or_else(|| code::starts(name, words)) {
        return kind;
    }
    if !first.is_own_program() {
        let is_apart = peeled.is_started || first.source.contains('/');
        let by_shell = match (peeled.by_runner, is_apart) {
            (true, _) => None,
            (false, true) => not_of_shell(name).or_else(|| builtin(name, words)),
            (false, false) => builtin(name, words),
        };
        if let Some(kind) = by_shell.or_else(|| starter(name, words)) {
            return kind;
        }
        if table::PREPARATIONS.contains(&name) {
            return Kind::Preparation;
        }
    }
    if code::is_empty(name, words) {
        return Kind::Preparation;
    }
    match options::effect(words) {
        Effect::Hides(masked) => return Kind::Hides(masked),
        Effect::Idles(masked) => return Kind::Idle(masked),
        Effect::Tells => return Kind::Preparation,
        Effect::Prepares => return Kind::Step,
        Effect::None => {}
    }
    if first.is_own_program() && !table::has(table::MANY_IN_ONE, name) {
        return Kind::Check;
    }
    by_operands(name, words)
}

/// What only the shell itself can do, and does not when a program of that name is started.
fn not_of_shell(name: &str) -> Option<Kind> {
    let reason =
        "only the shell itself can do that, and here a program of that name is started: write it alone";
    table::OF_SHELL
        .contains(&name)
        .then(|| Kind::Hides(Masked::new(name, reason.to_owned())))
}

/// What the shell does itself.
fn builtin(name: &str, words: &[Word]) -> Option<Kind> {
    Some(match name {
        "set" => Kind::Set,
        "trap" => Kind::Trap,
        "exit" => Kind::Exit,
        "return" => {
            let reason = "`return` does not end a shell outside of a function: write `exit`";
            Kind::Hides(Masked::new(name, reason.to_owned()))
        }
        "break" | "continue" => Kind::Leave,
        "eval" => Kind::Evaluate,
        "exec" => Kind::Replace,
        // Only what looks, as `command -v`, is left of it.
        "command" => Kind::Preparation,
        "hash" if !words.iter().any(|word| word.known() == Some("-p")) => Kind::Preparation,
        "alias" | "enable" | "hash" => Kind::Hides(renamed(name)),
        "shopt"
            if words
                .iter()
                .filter_map(Word::known)
                .any(|word| options::has_flag(word, "o", "")) =>
        {
            let reason = "`shopt -o` sets what `set` sets, and is not read here: write `set`";
            Kind::Hides(Masked::new(name, reason.to_owned()))
        }
        _ if gives_second_name(name, words.iter().filter_map(Word::known)) => Kind::Hides(renamed(name)),
        _ if table::QUESTIONS.contains(&name) => Kind::Question,
        _ => return None,
    })
}

/// Whether a declaration gives a variable a second name, by which it can be changed unseen.
pub(super) fn gives_second_name<'w>(name: &str, mut words: impl Iterator<Item = &'w str>) -> bool {
    let declares = matches!(name, "declare" | "local" | "typeset");
    name == "nameref" || (declares && words.any(|word| options::has_flag(word, "n", "")))
}

pub(super) fn renamed(name: &str) -> Masked {
    let reason =
        format!("`{name}` can give the name of a program or a variable another meaning: leave it out");
    Masked::new(name, reason)
}

/// A program that starts others in a way of which nothing is learnt.
fn starter(name: &str, words: &[Word]) -> Option<Kind> {
    let hides = |piece: &str, reason: String| Some(Kind::Hides(Masked::new(piece, reason)));
    let has = |wanted: &str| words.iter().any(|word| word.known() == Some(wanted));
    if name == "env" && words.iter().filter_map(Word::known).any(wrapper::splits) {
        let reason = "`env -S` makes a command of a text that is not read here: write it as words";
        return hides("-S", reason.to_owned());
    }
    if name == "setsid" && !wrapper::waits(words) {
        let reason = "`setsid` may not wait for what it starts: add `--wait`, or leave it out";
        return hides(name, reason.to_owned());
    }
    let bisects = name == "git" && has("bisect");
    if table::STARTERS.contains(&name) || bisects {
        let reason = format!("`{name}` does not hand on the exit status of what it starts");
        return hides(name, reason);
    }
    let repeats = match name {
        "git" => has("submodule") && has("foreach"),
        "find" => ["-exec", "-execdir", "-ok", "-okdir"]
            .iter()
            .any(|option| has(option)),
        _ => false,
    };
    if table::REPEATERS.contains(&name) || repeats {
        let reason =
            format!("`{name}` may start nothing at all and succeeds then: name what is to be checked");
        return hides(name, reason);
    }
    None
}

/// What the operands of a program make of it.
fn by_operands(name: &str, words: &[Word]) -> Kind {
    let has = |wanted: &str| words.iter().any(|word| word.known() == Some(wanted));
    let mut operands = operands(words);
    match name {
        _ if table::LOOKERS.contains(&name) => Kind::Look,
        _ if table::has(table::TELLERS, name) => Kind::Step,
        "find" => Kind::Step,
        "sort" if !has("-c") && !has("-C") && !has("--check") => Kind::Step,
        "git" if has("grep") => Kind::Look,
        "git" if table::GIT_ANSWERS.iter().any(|option| has(option)) => Kind::Source,
        "git" if has("diff") => Kind::Step,
        // Its status is that of a service.
        "docker" | "docker-compose"
            if words
                .iter()
                .any(|word| word.source.starts_with("--exit-code-from")) =>
        {
            Kind::Check
        }
        _ if table::has(table::TASK_PROGRAMS, name) => {
            let is_idle = |task: &str| table::has(table::IDLE_TASKS, task) || task.starts_with("help:");
            let n_tasks = operands.clone().count();
            if n_tasks > 0 && operands.all(is_idle) {
                Kind::Step
            } else {
                Kind::Check
            }
        }
        _ if table::has(table::MANY_IN_ONE, name) && is_idle_verb(name, words) => Kind::Step,
        _ if table::SOURCES.contains(&name) => Kind::Source,
        _ => Kind::Check,
    }
}

/// The words that are neither options nor values of those that may stand before the first operand.
fn operands(words: &[Word]) -> impl Iterator<Item = &str> + Clone {
    let name = words.first().and_then(Word::program).unwrap_or_default();
    let valued = option_table::of(option_table::LEADING, name);
    let is_value = move |word: &Word| word.known().is_some_and(|option| table::has(valued, option));
    words
        .windows(2)
        .filter(move |pair| !is_value(&pair[0]))
        .filter_map(|pair| pair[1].known())
        .filter(|word| !word.starts_with(['-', '+']))
}

/// Whether the first operand of a program says that nothing is checked, or is missing.
fn is_idle_verb(name: &str, words: &[Word]) -> bool {
    let mut operands = operands(words);
    let Some(first) = operands.next() else {
        return words.len() == 1;
    };
    let verb = if table::has(table::GROUPS, first) {
        operands.next().unwrap_or("help")
    } else {
        first
    };
    let lacks_script =
        table::SCRIPT_PROGRAMS.contains(&name) && table::SCRIPT_VERBS.contains(&first) && words.len() == 2;
    // Elsewhere `ci` is a script of the project.
    let installs = (name, verb) == ("npm", "ci");
    lacks_script || installs || table::has(table::IDLE_VERBS, verb)
}

/// The name of a program, with its first operand where that says what it does.
pub(super) fn key(words: &[Word]) -> String {
    let name = words.first().and_then(Word::program).unwrap_or_default();
    match operands(words).next() {
        Some(operand) if table::has(table::MANY_IN_ONE, name) => format!("{name} {operand}"),
        Some(_) | None => name.to_owned(),
    }
}

/// Whether a question is about nothing but its own words: `test 1`, `[ a = a ]`.
pub(super) fn asks_nothing(question: &str) -> bool {
    let looks = |word: &str| {
        let operator = word.strip_prefix('-').unwrap_or_default();
        let is_one = operator.chars().count() == 1 && operator.contains(|c| table::LOOKING.contains(c));
        is_one || matches!(operator, "nt" | "ot" | "ef")
    };
    let computes = question.starts_with("((") && question.contains(char::is_alphabetic);
    !computes && !question.contains(['$', '`', '*', '?']) && !question.split_whitespace().any(looks)
}
