//! Recognises complaints about a missing terminal, printed instead of an answer.

/// Maximum length of a complaint; a longer answer is about terminals.
const MAX_CHARS: usize = 300;
const MAX_LINES: usize = 3;

/// Messages of programs without a terminal.
const COMPLAINTS: &[&str] = &[
    "is not a tty",
    "not a tty",
    "is not a terminal",
    "raw mode is not supported",
    "inappropriate ioctl for device",
    "no tty present",
    "/dev/tty: no such device",
    "requires a terminal",
    "must be run in a terminal",
];

/// Possible beginnings of such a complaint.
const OPENINGS: &[&str] = &[
    "error",
    "fatal",
    "stdin",
    "stdout",
    "stderr",
    "the input device",
    "input is",
    "raw mode",
    "not a tty",
    "tcgetattr",
    "stty",
    "no tty",
    "cannot",
    "can't",
    "open /dev/tty",
    "sh:",
    "bash:",
];

/// Returns true if the whole answer is such a complaint.
pub(crate) fn is_terminal_error(answer: &str) -> bool {
    let answer = answer.trim().to_lowercase();
    let is_short = answer.chars().count() <= MAX_CHARS && answer.lines().count() <= MAX_LINES;
    is_short
        && OPENINGS.iter().any(|opening| answer.starts_with(opening))
        && COMPLAINTS.iter().any(|complaint| answer.contains(complaint))
}
