//! Complaints about a missing terminal, printed where an answer should be.

/// An answer longer than this speaks about terminals rather than missing one.
const MAX_CHARS: usize = 300;
const MAX_LINES: usize = 3;

/// What programs say without a terminal.
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

/// What such a complaint begins with.
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

/// Whether the whole answer is such a complaint.
pub(crate) fn is_terminal_error(answer: &str) -> bool {
    let answer = answer.trim().to_lowercase();
    let is_short = answer.chars().count() <= MAX_CHARS && answer.lines().count() <= MAX_LINES;
    is_short
        && OPENINGS.iter().any(|opening| answer.starts_with(opening))
        && COMPLAINTS.iter().any(|complaint| answer.contains(complaint))
}
