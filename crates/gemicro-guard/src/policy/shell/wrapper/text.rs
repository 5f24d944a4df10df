//! Wrappers that pass a string to a shell: `watch`, `script`, `su`, `ssh`, `parallel`.

use super::super::nested::{self, hidden_program};
use super::super::options::{self, ProgramOptions};
use super::super::program::{self, Program};
use super::super::run::PolicyRun;
use super::super::state::ShellState;
use super::super::word::ShellWord;
use super::opaque;
use crate::policy::decision::Denial;

/// The programs that this module judges.
pub(super) const NAMES: &[&str] = &["watch", "script", "su", "runuser", "ssh", "parallel"];

const WATCH: ProgramOptions = ProgramOptions {
    flags: "bcdegptwxr",
    valued: "nq",
    attached: "",
    long_flags: &[
        "beep",
        "color",
        "differences",
        "errexit",
        "chgexit",
        "precise",
        "no-title",
        "no-wrap",
        "exec",
    ],
    long_valued: &["interval", "equexit"],
};
const SCRIPT: ProgramOptions = ProgramOptions {
    flags: "aefqE",
    valued: "coIOBTm",
    attached: "t",
    long_flags: &["append", "return", "flush", "quiet", "force"],
    long_valued: &["command", "log-out", "log-in", "log-io", "log-timing"],
};
const SU: ProgramOptions = ProgramOptions {
    flags: "lmpfP",
    valued: "cgGsuw",
    attached: "",
    long_flags: &["login", "preserve-environment", "fast", "pty"],
    long_valued: &["command", "group", "shell", "user"],
};
const SSH: ProgramOptions = ProgramOptions {
    flags: "46AaCfGgKkMNnqsTtVvXxYy",
    valued: "BbcDEeFIiJLlmOopQRSWw",
    attached: "",
    long_flags: &[],
    long_valued: &[],
};
const PARALLEL: ProgramOptions = ProgramOptions {
    flags: "0kmXtv",
    valued: "jaINnLds",
    attached: "",
    long_flags: &[
        "keep-order",
        "halt-on-error",
        "dry-run",
        "verbose",
        "bar",
        "progress",
        "null",
        "ungroup",
        "will-cite",
    ],
    long_valued: &[
        "jobs", "halt", "arg-file", "delay", "timeout", "max-args", "colsep", "joblog", "retries",
    ],
};

/// Judges the text that the program would run.
pub(super) fn judge(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    base: &str,
    state: &ShellState,
) -> Result<(), Denial> {
    let words = &program.words[1..];
    let spec = match base {
        "watch" => &WATCH,
        "script" => &SCRIPT,
        "ssh" => &SSH,
        "parallel" => &PARALLEL,
        _ => &SU,
    };
    let (given, mut rest) = options::split(spec, words).ok_or_else(|| opaque(program))?;
    let mut inner = state.clone();
    match base {
        "watch"
            if given
                .iter()
                .any(|option| option.name == "x" || option.name == "exec") =>
        {
            let next = Program {
                words: rest,
                stdin: program.stdin.clone(),
                segment: program.segment,
            };
            program::judge(run, &next, &mut inner)
        }
        "watch" => judge_joined(run, program, rest, &mut inner),
        "parallel" => parallel(run, program, rest, &mut inner),
        "ssh" => {
            let runs_local = given.iter().any(|option| {
                let value = option.value.map(str::to_lowercase);
                option.name == "o"
                    && value.is_none_or(|value| value.contains("command") || value.contains("exec"))
            });
            if runs_local || rest.is_empty() {
                return Err(opaque(program));
            }
            rest = &rest[1..];
            if rest.is_empty() {
                return Err(hidden_program(program));
            }
            inner.lose();
            judge_joined(run, program, rest, &mut inner)
        }
        _ => {
            // `-c text` may also come after the user's name, which is not an option.
            let late = rest
                .iter()
                .position(|word| matches!(word.exact_text(), Some("-c" | "--command")));
            let text = late.and_then(|at| rest.get(at + 1));
            let option = given
                .iter()
                .find(|option| matches!(option.name.as_str(), "c" | "command"));
            if base != "script" {
                inner.lose();
            }
            match (option, text) {
                (Some(option), None) => {
                    let text = option.value.ok_or_else(|| hidden_program(program))?;
                    run.script(text, &mut inner)
                }
                (None, Some(word)) => nested::text(run, word, program, &mut inner),
                _ => Err(hidden_program(program)),
            }
        }
    }
}

fn judge_joined(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    words: &[ShellWord],
    state: &mut ShellState,
) -> Result<(), Denial> {
    let words: Option<Vec<&str>> = words.iter().map(ShellWord::exact_text).collect();
    let text = words.ok_or_else(|| hidden_program(program))?.join(" ");
    run.script(&text, state)
}

/// `parallel command ::: inputs`: the inputs are inserted into the command, or appended.
fn parallel(
    run: &PolicyRun<'_>,
    program: &Program<'_>,
    words: &[ShellWord],
    state: &mut ShellState,
) -> Result<(), Denial> {
    let length = words
        .iter()
        .position(|word| word.exact_text().is_some_and(|text| text.starts_with(":::")))
        .unwrap_or(words.len());
    if length == 0 {
        return Err(hidden_program(program));
    }
    let command: Option<Vec<&str>> = words[..length].iter().map(ShellWord::exact_text).collect();
    let mut text = command.ok_or_else(|| hidden_program(program))?.join(" ");
    for mark in [
        "{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}",
    ] {
        text = text.replace(mark, "$input");
    }
    text.push_str(" $input");
    run.script(&text, state)
}
