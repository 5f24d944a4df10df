//! Rust code with comments and literals blanked out, and a flag for the lines that are tests.
//!
//! The main type is [`RustCode`]. It is not a parser: it only knows comments, literals and braces, which is enough to
//! search for names and calls without false matches.

/// A Rust file as the rules see it.
#[derive(Debug)]
pub(crate) struct RustCode {
    /// The same lines as the file; comments and literals are replaced by spaces.
    code: Vec<char>,
    /// For each line whether it belongs to an item under `#[cfg(test)]` or `#[test]`.
    in_test: Vec<bool>,
}

/// One line of code.
#[derive(Debug, Clone)]
pub(crate) struct CodeLine {
    /// Number of the line, counted from 1.
    pub(crate) number: usize,
    /// Without comments and literals.
    pub(crate) code: String,
    /// Part of a test.
    pub(crate) in_test: bool,
}

impl RustCode {
    pub(crate) fn new(text: &str) -> Self {
        let code = blank(text);
        let n_lines = code.iter().filter(|c| **c == '\n').count() + 1;
        let mut in_test = vec![false; n_lines];
        for start in occurrences(&code, "#[") {
            let end = closing(&code, start + 1).unwrap_or(code.len());
            let attribute: String = code[start..end].iter().collect();
            if is_test_attribute(&attribute) {
                let last = item_end(&code, end);
                in_test[line_of(&code, start) - 1..line_of(&code, last)].fill(true);
            }
        }
        Self { code, in_test }
    }

    /// The whole code as text.
    pub(crate) fn text(&self) -> String {
        self.code.iter().collect()
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = CodeLine> {
        let text = self.text();
        let lines: Vec<CodeLine> = text
            .split('\n')
            .zip(&self.in_test)
            .enumerate()
            .map(|(idx, (line, in_test))| CodeLine {
                number: idx + 1,
                code: line.to_owned(),
                in_test: *in_test,
            })
            .collect();
        lines.into_iter()
    }

    /// Lines on which a function with a body begins, outside tests and `macro_rules!`.
    pub(crate) fn function_bodies(&self) -> Vec<usize> {
        let macros: Vec<(usize, usize)> = occurrences(&self.code, "macro_rules!")
            .into_iter()
            .map(|start| (start, item_end(&self.code, start)))
            .collect();
        occurrences(&self.code, "fn ")
            .into_iter()
            .filter(|start| *start == 0 || !is_name(self.code[start - 1]))
            .filter(|start| !macros.iter().any(|(from, to)| (from..=to).contains(&start)))
            .filter(|start| self.code.get(item_end(&self.code, *start)) == Some(&'}'))
            .map(|start| line_of(&self.code, start))
            .filter(|line| !self.in_test[line - 1])
            .collect()
    }
}

/// Whether `line` contains `word` as a whole name, not as part of a longer one.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        let goes_on = word.ends_with(is_name) && after.is_some_and(is_name);
        !before.is_some_and(is_name) && !goes_on
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_test_attribute(attribute: &str) -> bool {
    if attribute.starts_with("#[cfg(") {
        return has_word(attribute, "test") && !attribute.contains("not(test");
    }
    attribute == "#[test]" || attribute.starts_with("#[tokio::test")
}

/// Replaces comments and literals by spaces.
fn blank(text: &str) -> Vec<char> {
    let chars: Vec<char> = text.chars().collect();
    let mut code = chars.clone();
    let mut idx = 0;
    while idx < chars.len() {
        match opaque_end(&chars, idx) {
            Some(end) => {
                for c in code[idx..end].iter_mut().filter(|c| **c != '\n') {
                    *c = ' ';
                }
                idx = end;
            }
            None => idx += 1,
        }
    }
    code
}

/// The end of the comment or literal that begins at `start`, if there is one.
fn opaque_end(chars: &[char], start: usize) -> Option<usize> {
    let at = |idx: usize| chars.get(idx).copied();
    let find = |from: usize, what: char| {
        (from..chars.len())
            .find(|idx| chars[*idx] == what)
            .unwrap_or(chars.len())
    };
    match (chars[start], at(start + 1)) {
        ('/', Some('/')) => Some(find(start, '\n')),
        ('/', Some('*')) => Some(block_comment_end(chars, start)),
        ('"', _) => Some(quoted_end(chars, start + 1, '"')),
        ('r', Some('"' | '#')) if starts_literal(chars, start) => raw_string_end(chars, start),
        ('\'', Some('\\')) => Some(quoted_end(chars, start + 1, '\'')),
        ('\'', Some(_)) if at(start + 2) == Some('\'') => Some(start + 3),
        _ => None,
    }
}

/// Whether the `r` at `start` is a literal's prefix, alone or after `b` or `c`.
fn starts_literal(chars: &[char], start: usize) -> bool {
    let before = |n: usize| start.checked_sub(n).map(|idx| chars[idx]);
    match before(1) {
        Some('b' | 'c') => !before(2).is_some_and(is_name),
        Some(c) => !is_name(c),
        None => true,
    }
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut idx = start;
    while idx + 1 < chars.len() {
        match (chars[idx], chars[idx + 1]) {
            ('/', '*') => (depth, idx) = (depth + 1, idx + 2),
            ('*', '/') => (depth, idx) = (depth - 1, idx + 2),
            _ => idx += 1,
        }
        if depth == 0 {
            return idx;
        }
    }
    chars.len()
}

fn quoted_end(chars: &[char], from: usize, quote: char) -> usize {
    let mut idx = from;
    while idx < chars.len() {
        match chars[idx] {
            '\\' => idx += 2,
            c if c == quote => return idx + 1,
            _ => idx += 1,
        }
    }
    chars.len()
}

fn raw_string_end(chars: &[char], start: usize) -> Option<usize> {
    let n_hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    let quote = start + 1 + n_hashes;
    // `r#type` is a name, not a literal.
    if chars.get(quote) != Some(&'"') {
        return None;
    }
    let closes = |idx: &usize| {
        chars[*idx] == '"'
            && chars[idx + 1..]
                .iter()
                .take(n_hashes)
                .filter(|c| **c == '#')
                .count()
                == n_hashes
    };
    Some(
        (quote + 1..chars.len())
            .find(closes)
            .map_or(chars.len(), |idx| idx + 1 + n_hashes),
    )
}

fn occurrences(code: &[char], word: &str) -> Vec<usize> {
    let word: Vec<char> = word.chars().collect();
    code.windows(word.len())
        .enumerate()
        .filter(|(_, window)| **window == word)
        .map(|(idx, _)| idx)
        .collect()
}

/// The position after the bracket that closes the one at `open`.
fn closing(code: &[char], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (idx, c) in code.iter().enumerate().skip(open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(idx + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The last character of the item that continues at `from`: its `}` or `;`.
fn item_end(code: &[char], from: usize) -> usize {
    let mut idx = from;
    while idx < code.len() {
        match code[idx] {
            ';' => return idx,
            '{' => return closing(code, idx).map_or(code.len(), |end| end - 1),
            '(' | '[' => idx = closing(code, idx).unwrap_or(code.len()),
            _ => idx += 1,
        }
    }
    code.len().saturating_sub(1)
}

fn line_of(code: &[char], position: usize) -> usize {
    code.iter().take(position).filter(|c| **c == '\n').count() + 1
}
