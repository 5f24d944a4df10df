//! Shells started by the line: their script must be in the line too, and is judged the same way.

use super::program::{self, CommandInput, Program};
use super::run::PolicyRun;
use super::state::ShellState;
use super::word::ShellWord;
use crate::policy::decision::Denial;
use crate::policy::rule::PolicyRule;

const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ksh93", "ash", "rbash", "fish", "csh", "tcsh", "pwsh", "nu",
    "elvish", "yash", "posh", "rc", "es", "xonsh",
];
/// Short options that do not change where the script comes from.
const FLAGS: &str = "abefhilmnprtuvxBCDEHPT";
const LONG_FLAGS: &[&str] = &[
    "--login",
    "--posix",
    "--norc",
    "--noprofile",
    "--restricted",
    "--verbose",
    "--noediting",
    "--no-rcs",
];

/// Whether a program is a shell.
pub(super) fn is_shell(base: &str) -> bool {
    SHELLS.contains(&base)
}

/// Judges the start of a shell.
pub(super) fn shell(run: &PolicyRun<'_>, program: &Program<'_>, state: &ShellState) -> Result<(), Denial> {
    if let Some(name) = &state.shell_variable {
        let hint = format!("`{name}` makes shells run something else");
        return Err(Denial::new(PolicyRule::Environment, program.segment, hint));
    }
    let mut words = program.words.iter().skip(1);
    let mut takes_text = false;
    let mut reads_input = false;
    let mut operand = None;
    while let Some(word) = words.next() {
        let text = word.exact_text().ok_or_else(|| hidden_program(program))?;
        match text {
            "--version" | "--help" => return Ok(()),
            "-" | "--" => {
                operand = words.next();
                break;
            }
            _ if LONG_FLAGS.contains(&text) => {}
            _ if text.starts_with("--") => return Err(hidden_program(program)),
            _ if text.starts_with(['-', '+']) => {
                for letter in text.chars().skip(1) {
                    match letter {
                        'c' => takes_text = true,
                        's' => reads_input = true,
                        'o' | 'O' => {
                            words
                                .next()
                                .and_then(ShellWord::exact_text)
                                .ok_or_else(|| hidden_program(program))?;
                        }
                        _ if FLAGS.contains(letter) => {}
                        _ => return Err(hidden_program(program)),
                    }
                }
            }
            _ => {
                operand = Some(word);
                break;
            }
        }
    }
    match operand {
        Some(word) if takes_text => text(run, word, program, &mut state.clone()),
        Some(word) if !reads_input => file(word, program),
        _ if takes_text => Err(hidden_program(program)),
        _ => match &program.stdin {
            CommandInput::Script(text) => run.script(text, &mut state.clone()),
            CommandInput::Inherited | CommandInput::Other => Err(hidden_program(program)),
        },
    }
}

/// Judges a word that is itself a shell program.
pub(super) fn text(
    run: &PolicyRun<'_>,
    word: &ShellWord,
    program: &Program<'_>,
    state: &mut ShellState,
) -> Result<(), Denial> {
    let text = word.exact_text().ok_or_else(|| hidden_program(program))?;
    run.script(text, state)
}

/// Judges a script file: its name must be known, and it must be a file.
pub(super) fn file(word: &ShellWord, program: &Program<'_>) -> Result<(), Denial> {
    let path = word.exact_text().ok_or_else(|| hidden_program(program))?;
    let is_stream =
        ["/dev/", "/proc/"].iter().any(|folder| path.starts_with(folder)) || path.contains("/../");
    // The shell looks up a bare name like a program if it is not a file here.
    if is_stream || path == "-" || word.tilde || program::starts_commands(path) {
        return Err(hidden_program(program));
    }
    Ok(())
}

/// The denial of a script that is not in the line.
pub(super) fn hidden_program(program: &Program<'_>) -> Denial {
    Denial::new(
        PolicyRule::ShellInput,
        program.segment,
        "put the commands in the command line; do not use a shell that reads them from elsewhere",
    )
}
