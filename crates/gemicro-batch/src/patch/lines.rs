//! Splits text into lines that keep their line breaks.

/// Lines with their `\n`; the last may have none. An empty text has no lines.
pub(super) fn split_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line for comparison: without trailing white space and line break.
pub(super) fn without_end(line: &str) -> &str {
    line.trim_end_matches([' ', '\t', '\r', '\n'])
}

/// The line break of most lines.
pub(super) fn line_break(lines: &[&str]) -> &'static str {
    let n_windows = lines.iter().filter(|line| line.ends_with("\r\n")).count();
    if n_windows * 2 > lines.len() { "\r\n" } else { "\n" }
}
