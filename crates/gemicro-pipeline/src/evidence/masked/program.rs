//! Says what a simple command is: a program that checks something, or one of the few that do not.

use super::Masked;
use super::options::{self, Effect};
use super::table;
use super::word::Word;
use super::wrapper;

/// What a simple command is.
#[derive(Debug)]
pub(super) enum Kind {
    /// It prepares or tells something.
    Preparation,
    /// It answers a question: `test -f x`.
    Question,
    /// It checks something, unless it supplies text to something else.
    Source,
    /// It checks something.
    Check,
    /// `set`.
    Set,
    /// `trap`.
    Trap,
    /// `exit`, `return`.
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

/// Says what the command of these words is.
pub(super) fn classify(words: &[Word]) -> Kind {
    let Some(first) = words.first() else {
        return Kind::Preparation;
    };
    let Some(name) = first.base() else {
        let reason = format!(
            "which program `{}` is cannot be known before it runs: name it",
            first.source
        );
        return Kind::Hides(Masked::new(&first.source, reason));
    };
    if let Some(kind) = script(words) {
        return kind;
    }
    match name {
        "set" => return Kind::Set,
        "trap" => return Kind::Trap,
        "exit" | "return" => return Kind::Exit,
        "break" | "continue" => return Kind::Leave,
        "eval" => return Kind::Evaluate,
        "exec" => return Kind::Replace,
        // Only what looks, as `command -v`, is left of it.
        "command" => return Kind::Preparation,
        "hash" if !words.iter().any(|word| word.known() == Some("-p")) => return Kind::Preparation,
        "alias" | "enable" | "hash" => {
            let reason = format!("`{name}` can give a program's name another meaning: leave it out");
            return Kind::Hides(Masked::new(name, reason));
        }
        "env" if words.iter().filter_map(Word::known).any(wrapper::splits) => {
            let reason = "`env -S` makes a command of a text that is not read here: write it as words";
            return Kind::Hides(Masked::new("-S", reason.to_owned()));
        }
        "find" if each_alone(words) => {
            let reason =
                "`find` does not hand on the exit status of what `-exec … \\;` starts: end it with `+`";
            return Kind::Hides(Masked::new("-exec", reason.to_owned()));
        }
        _ => {}
    }
    if table::STARTERS.contains(&name) {
        let reason = format!("`{name}` does not hand on the exit status of what it starts");
        return Kind::Hides(Masked::new(name, reason));
    }
    if table::REPEATERS.contains(&name) {
        let reason =
            format!("`{name}` may start nothing at all and succeeds then: name what is to be checked");
        return Kind::Hides(Masked::new(name, reason));
    }
    if table::PREPARATIONS.contains(&name) || runs_empty_code(name, words) {
        return Kind::Preparation;
    }
    if table::QUESTIONS.contains(&name) {
        return Kind::Question;
    }
    match options::effect(words) {
        Effect::Hides(masked) => return Kind::Hides(masked),
        Effect::Idles(masked) => return Kind::Idle(masked),
        Effect::Tells => return Kind::Preparation,
        Effect::None => {}
    }
    if table::SOURCES.contains(&name) {
        return Kind::Source;
    }
    Kind::Check
}

/// The name of a program, with its first operand where that says what it does.
pub(super) fn key(words: &[Word]) -> String {
    let name = words.first().and_then(Word::base).unwrap_or_default();
    let operand = words
        .iter()
        .skip(1)
        .filter_map(Word::known)
        .find(|word| !word.starts_with(['-', '+']));
    match operand {
        Some(operand) if table::MANY_IN_ONE.contains(&name) => format!("{name} {operand}"),
        Some(_) | None => name.to_owned(),
    }
}

/// The text that a shell anywhere among the words is given, or what a shell without one is.
fn script(words: &[Word]) -> Option<Kind> {
    for (idx, word) in words.iter().enumerate() {
        let Some(name) = word.base() else { continue };
        // Programs that only look for words may look for one of these.
        let looks = words.first().and_then(Word::base);
        if table::SHELLS.contains(&name) && !looks.is_some_and(|name| table::SOURCES.contains(&name)) {
            let kind = shell(&words[idx..], idx == 0);
            if kind.is_some() {
                return kind;
            }
        }
        if idx == 0 && table::CARRIERS.contains(&name) {
            return carrier(words);
        }
    }
    None
}

/// A shell: with `-c` it runs a text, with a file it is a program like any other, without both it reads its input.
fn shell(words: &[Word], is_first: bool) -> Option<Kind> {
    let mut script = Script {
        text: None,
        errexit: false,
        pipefail: false,
    };
    let (mut has_text, mut only_reads) = (false, false);
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(option) = word
            .known()
            .filter(|text| text.starts_with(['-', '+']) && text.len() > 1)
        else {
            break;
        };
        at += 1;
        if option == "--" {
            break;
        }
        if option.starts_with("--") {
            continue;
        }
        let turns_on = option.starts_with('-');
        only_reads |= turns_on && option.contains(['n', 'D']);
        has_text |= turns_on && option.contains('c');
        if option.contains('e') {
            script.errexit = turns_on;
        }
        if option.ends_with(['o', 'O']) {
            match words.get(at).and_then(Word::known) {
                Some("pipefail") => script.pipefail = turns_on,
                Some("errexit") => script.errexit = turns_on,
                Some("noexec") => only_reads |= turns_on,
                Some(_) | None => {}
            }
            at += 1;
        }
    }
    let name = words.first().and_then(Word::base).unwrap_or_default();
    if only_reads && (is_first || at < words.len()) {
        let reason = format!("`{name} -n` only reads what it is given, and runs nothing of it");
        return Some(Kind::Idle(Masked::new(name, reason)));
    }
    if has_text {
        script.text = words.get(at).and_then(Word::known).map(str::to_owned);
        return Some(Kind::Script(script));
    }
    let reads_input = is_first && at >= words.len();
    reads_input.then(|| {
        let reason = format!("`{name}` runs what it reads, which is not known before: give it with `-c`");
        Kind::Hides(Masked::new(name, reason))
    })
}

/// `script -ec text`, `su -c text`: only the text matters, and whether its status comes back.
fn carrier(words: &[Word]) -> Option<Kind> {
    let is_short = |text: &str| text.starts_with('-') && !text.starts_with("--");
    let at = words.iter().position(|word| {
        word.known()
            .is_some_and(|text| is_short(text) && text.ends_with('c'))
    })?;
    let returns = words
        .iter()
        .filter_map(Word::known)
        .any(|text| text == "--return" || (is_short(text) && text.contains('e')));
    if words.first().and_then(Word::base) == Some("script") && !returns {
        let reason = "`script` does not hand on the exit status of what it starts without `-e`";
        return Some(Kind::Hides(Masked::new("script", reason.to_owned())));
    }
    Some(Kind::Script(Script {
        text: words.get(at + 1).and_then(Word::known).map(str::to_owned),
        errexit: false,
        pipefail: false,
    }))
}

/// `python3 -c pass`: whether all words of the code outside of its texts are such that it cannot fail.
fn runs_empty_code(name: &str, words: &[Word]) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let Some((_, flags)) = table::CODE.iter().find(|(program, _)| *program == name) else {
        return false;
    };
    let known: Vec<&str> = words.iter().skip(1).map_while(Word::known).collect();
    let takes_code = |option: &&str| {
        *option == "--eval" || (!option.starts_with("--") && option.ends_with(|c| flags.contains(c)))
    };
    let n_options = known.iter().take_while(|word| word.starts_with('-')).count();
    let at = known.iter().take(n_options).position(takes_code);
    let code = at.and_then(|at| known.get(at + 1));
    code.is_some_and(|code| is_empty_code(code))
}

fn is_empty_code(code: &str) -> bool {
    let is_part = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@');
    let mut outside = code.split(['"', '\'']).step_by(2);
    outside.all(|part| {
        let mut words = part.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        words.all(|word| table::EMPTY_CODE.contains(&word))
    })
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

/// Whether `find` starts a program for each file, and so forgets how it ended.
fn each_alone(words: &[Word]) -> bool {
    let starts = |word: &Word| matches!(word.known(), Some("-exec" | "-execdir" | "-ok" | "-okdir"));
    words.iter().any(starts) && words.iter().any(|word| word.known() == Some(";"))
}
