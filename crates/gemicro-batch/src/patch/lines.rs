//! A text as lines that keep their endings.

/// Lines with their `\n`; the last may have none. An empty text has no lines.
pub(super) fn split_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line as it is compared: white space at its end does not count, the line break neither.
pub(super) fn without_end(line: &str) -> &str {
    line.trim_end_matches([' ', '\t', '\r', '\n'])
}

/// How most lines of a text end.
pub(super) fn line_break(lines: &[&str]) -> &'static str {
    let n_windows = lines.iter().filter(|line| line.ends_with("\r\n")).count();
    if n_windows * 2 > lines.len() { "\r\n" } else { "\n" }
}
