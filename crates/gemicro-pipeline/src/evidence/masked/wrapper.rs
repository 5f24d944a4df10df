//! Looks through programs that start another one and hand its exit status on: `timeout 10 pytest`.

use super::options;
use super::word::Word;

/// A program that starts what follows.
struct Wrapper {
    name: &'static str,
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Words between the options and the program.
    n_operands: usize,
}

const fn wrapper(name: &'static str, valued: &'static [&'static str], n_operands: usize) -> Wrapper {
    Wrapper {
        name,
        valued,
        n_operands,
    }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("builtin", &[], 0),
    wrapper("busybox", &[], 0),
    wrapper("command", &[], 0),
    wrapper("doas", &["-C", "-u"], 0),
    wrapper("env", &["-u", "-C", "--unset", "--chdir"], 0),
    wrapper(
        "flock",
        &["-E", "-w", "--conflict-exit-code", "--timeout", "--wait"],
        1,
    ),
    wrapper("gtimeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("ionice", &["-c", "-n"], 0),
    wrapper("nice", &["-n"], 0),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper(
        "sudo",
        &[
            "-C", "-D", "-R", "-T", "-g", "-h", "-p", "-r", "-t", "-u", "--chdir", "--chroot", "--group",
            "--host", "--prompt", "--user",
        ],
        0,
    ),
    wrapper("time", &["-f", "-o"], 0),
    wrapper("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("toybox", &[], 0),
    wrapper("xvfb-run", &["-n", "-s", "-e", "-f"], 0),
];

/// Programs with a word for starting another: `poetry run pytest`.
const RUNNERS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("hatch", "run"),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("poetry", "run"),
    ("rye", "run"),
    ("uv", "run"),
];

/// The words from the program on that does the work.
pub(super) fn peeled(words: &[Word]) -> &[Word] {
    let mut words = words;
    while let Some(rest) = inside(words) {
        words = rest;
    }
    words
}

/// What a wrapper starts; nothing when the first word is none, or starts nothing.
fn inside(words: &[Word]) -> Option<&[Word]> {
    let name = words.first()?.base()?;
    if let Some((_, verb)) = RUNNERS.iter().find(|(runner, _)| *runner == name) {
        let starts = words.get(1).and_then(Word::known) == Some(verb);
        let program = words.get(2).and_then(Word::known)?;
        return (starts && !program.starts_with('-')).then(|| &words[2..]);
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == name)?;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let is_assignment = matches!(name, "doas" | "env" | "sudo") && word.source.contains('=');
        let Some(word) = word.known().or(is_assignment.then_some(word.source.as_str())) else {
            break;
        };
        if is_assignment || (word.starts_with('-') && word.len() > 1) {
            // `command -v` and `command -V` only look.
            if name == "command" && word != "-p" && word != "--" {
                return None;
            }
            if !is_assignment && (options::changes(name, word) || (name == "env" && splits(word))) {
                return None;
            }
            at += if wrapper.valued.contains(&word) { 2 } else { 1 };
        } else {
            break;
        }
    }
    let rest = words.get(at + wrapper.n_operands..)?;
    // `flock file -c text`: no program follows.
    let starts = rest.first().is_some_and(|word| !word.source.starts_with('-'));
    starts.then_some(rest)
}

/// `env -S text`: the text is taken apart by `env` itself.
pub(super) fn splits(option: &str) -> bool {
    option.starts_with("--split") || options::has_flag(option, "S", "Cu")
}
