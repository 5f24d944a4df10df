//! Code that is given to an interpreter as a word: `python3 -c …`.

use super::Masked;
use super::program::Kind;
use super::table;
use super::word::Word;

/// Code that starts programs may forget how they ended, and an interpreter without code reads its input.
pub(super) fn starts(name: &str, words: &[Word]) -> Option<Kind> {
    let hides = |reason: String| Some(Kind::Hides(Masked::new(name, reason)));
    let takes_code = table::CODE.iter().any(|(program, _)| *program == name);
    let is_alone = match words {
        [_] => true,
        [_, only] => only.known() == Some("-"),
        _ => false,
    };
    if takes_code && is_alone {
        return hides(format!(
            "`{name}` runs what it reads, which is not known before: put it into a file"
        ));
    }
    if name == "python" && of(name, words).is_some_and(drops_result) {
        return hides(
            "the code given to `python` runs tests and drops what came of it: start them with `-m`"
                .to_owned(),
        );
    }
    if of(name, words).is_some_and(|code| starts_programs(name, code)) {
        return hides(format!(
            "the code given to `{name}` starts programs and may forget how they ended: start them by the shell, or \
             put the code into a file"
        ));
    }
    None
}

/// `python3 -c pass`: whether all words of the code outside of its texts are such that it cannot fail.
pub(super) fn is_empty(name: &str, words: &[Word]) -> bool {
    !table::CODE_FIRST.contains(&name) && of(name, words).is_some_and(is_empty_code)
}

/// The code among the words; as it is written where a part is only known later.
fn of<'w>(name: &str, words: &'w [Word]) -> Option<&'w str> {
    let text = |word: &'w Word| word.known().unwrap_or(&word.source);
    let mut given = words.iter().skip(1).map(text);
    if table::CODE_FIRST.contains(&name) {
        return given.find(|word| !word.starts_with('-'));
    }
    if (name, given.clone().next()) == ("deno", Some("eval")) {
        return given.nth(1);
    }
    let (_, flags) = table::CODE.iter().find(|(program, _)| *program == name)?;
    let takes_code = |option: &str| {
        matches!(option, "--eval" | "--print")
            || (!option.starts_with("--") && option.ends_with(|c| flags.contains(c)))
    };
    let n_options = given.clone().take_while(|word| word.starts_with('-')).count();
    let at = given.clone().take(n_options).position(takes_code)?;
    given.nth(at + 1)
}

fn starts_programs(name: &str, code: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = code.split(|c| !is_part(c));
    let starts = |word: &str| {
        // Elsewhere `exec` puts the program in the place of the interpreter, or is about something else.
        table::STARTING_CODE.iter().any(|begins| word.starts_with(begins))
            || (name == "php" && word == "exec")
    };
    // `"make test" | getline`, `print | "sh"`.
    let is_piped = || {
        let together: String = code.split_whitespace().collect();
        let mut parts = together.split("||");
        parts.any(|part| ["|\"", "|getline", "|&"].iter().any(|pipe| part.contains(pipe)))
    };
    if table::CODE_FIRST.contains(&name) && is_piped() {
        return true;
    }
    let has_quoted = matches!(name, "julia" | "perl" | "php" | "ruby") && code.contains('`');
    has_quoted || words.any(starts)
}

/// Whether python code calls a test runner that does not end the program itself, and does not end with what it says.
fn drops_result(code: &str) -> bool {
    let code: String = code.split_whitespace().collect();
    let calls = |call: &&str| code.contains(*call);
    if !table::RUNNER_MODULES.iter().any(calls) || !table::RUNNER_CALLS.iter().any(calls) {
        return false;
    }
    // `unittest.main()` ends the program unless it is told not to.
    let ends = code.contains("unittest.main(") && !code.contains("exit=");
    let mut endings = code.split("xit(").skip(1);
    let ends_with_it = endings.any(|given| {
        !["0", ")", "None", "False"]
            .iter()
            .any(|none| given.starts_with(none))
    });
    !ends && !ends_with_it
}

fn is_empty_code(code: &str) -> bool {
    let is_part = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@');
    let mut outside = code.split(['"', '\'']).step_by(2);
    outside.all(|part| {
        let mut words = part.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        words.all(|word| table::EMPTY_CODE.contains(&word))
    })
}
