//! Finds the file name of a code block in the text around it.

use super::answer::{AnswerLine, FencedBlock};
use super::test_path::{PathRole, role_of};

/// Labels in front of a path: `File: tests/x.rs`.
const LABELS: &[&str] = &["file", "filename", "file name", "new file", "path"];
/// Starts of one-line comments.
const COMMENTS: &[&str] = &["//", "#", "--", "/*", "<!--", "%", ";"];
/// Maximum number of words in a line that is a name and not a sentence.
const MOST_WORDS: usize = 4;

/// The path of a whole file: above its block, next to its fence, or in its first line.
pub(super) fn file_name_of(block: &FencedBlock<'_>, lines: &[AnswerLine<'_>]) -> Option<String> {
    let above = lines[..block.start].iter().rev().map(|line| line.text);
    let above = above.map(str::trim).find(|line| !line.is_empty());
    let beside = || {
        let words = block.info.split([' ', ':', '=', '"', '\'', ',', '{', '}']);
        words.into_iter().find(|word| is_path(word)).map(str::to_owned)
    };
    let in_comment = || {
        let first = block.lines.first()?.text.trim();
        let comment = COMMENTS.iter().find_map(|start| first.strip_prefix(start))?;
        announced_path(comment)
    };
    above
        .and_then(announced_path)
        .or_else(beside)
        .or_else(in_comment)
        .or_else(|| above.and_then(mentioned_test))
}

/// The path in a line that contains little else: only a path, a label and a path, or a few words with a path.
pub(super) fn announced_path(line: &str) -> Option<String> {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "#*_->".contains(c));
    if let Some((label, path)) = line.split_once(':') {
        let label = label.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let path = bare(path.trim());
        if LABELS.contains(&label.as_str()) && !path.is_empty() && !path.contains(char::is_whitespace) {
            return Some(path.to_owned());
        }
    }
    let words: Vec<&str> = line.split_whitespace().map(bare).collect();
    let mut paths = words.iter().filter(|word| is_path(word));
    match (paths.next(), paths.next()) {
        (Some(path), None) if words.len() <= MOST_WORDS => Some((*path).to_owned()),
        _ => None,
    }
}

/// The test path in backticks in a sentence. Other paths do not count: a sentence may also name the code under test.
fn mentioned_test(line: &str) -> Option<String> {
    let quoted = line.split('`').skip(1).step_by(2);
    let mut tests = quoted.filter(|word| is_path(word) && role_of(word) == PathRole::Test);
    match (tests.next(), tests.next()) {
        (Some(path), None) => Some(path.to_owned()),
        _ => None,
    }
}

/// A word without surrounding Markdown characters.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| "*_`\"'():,".contains(c))
}

/// Whether a word looks like a file name, whether or not it is allowed.
fn is_path(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_word = !word.contains(char::is_whitespace) && !word.contains("://");
    is_word
        && name.rsplit_once('.').is_some_and(|(stem, ending)| {
            let is_ending = ending.starts_with(|c: char| c.is_ascii_alphabetic())
                && ending.chars().all(|c| c.is_ascii_alphanumeric());
            !stem.is_empty() && is_ending
        })
}
