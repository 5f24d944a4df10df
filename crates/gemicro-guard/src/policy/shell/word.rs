//! Words of a command after quote removal, with the parts that are known before the line runs.

use tree_sitter::Node;

use super::syntax::{source, unreadable};
use crate::policy::decision::Denial;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct ShellWord {
    /// Its exact text, if that is known.
    pub(in crate::policy) text: Option<String>,
    /// The known text before the first unknown part.
    pub(in crate::policy) prefix: String,
    /// Whether it may become several words, or none.
    pub(in crate::policy) splits: bool,
    /// Whether it starts with an unquoted `~`.
    pub(in crate::policy) tilde: bool,
    pub(in crate::policy) source: String,
}

/// Nodes whose value is only known when the line runs.
const HOLES: &[&str] = &[
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
];

impl ShellWord {
    /// A word that is exactly this text.
    pub(in crate::policy) fn literal(text: &str) -> Self {
        Self {
            text: Some(text.to_owned()),
            prefix: text.to_owned(),
            splits: false,
            tilde: false,
            source: text.to_owned(),
        }
    }

    /// Words that will be added when the line runs, as `xargs` does.
    pub(in crate::policy) fn unknown(source: &str) -> Self {
        Self {
            text: None,
            prefix: String::new(),
            splits: true,
            tilde: false,
            source: source.to_owned(),
        }
    }

    /// Reads the word at a node of the tree.
    pub(super) fn read(node: Node<'_>, text: &str) -> Result<Self, Denial> {
        let slice = source(node, text);
        let holes = holes(node);
        WordReader {
            chars: slice.char_indices().collect(),
            at: 0,
            holes,
            word: ShellWord {
                text: None,
                prefix: String::new(),
                splits: false,
                tilde: slice.starts_with('~'),
                source: slice.to_owned(),
            },
            value: String::new(),
            known: true,
            brace: Brace::None,
        }
        .read()
        .ok_or_else(|| unreadable(slice))
    }

    /// The exact text, if it is known.
    pub(in crate::policy) fn exact_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Whether the word could be an option when the line runs.
    pub(in crate::policy) fn may_be_option(&self) -> bool {
        match &self.text {
            Some(text) => text.starts_with('-'),
            None => self.prefix.is_empty() || self.prefix.starts_with('-') || self.splits,
        }
    }
}

/// The ranges in a node whose value is only known when the line runs, relative to its start.
pub(super) fn holes(node: Node<'_>) -> Vec<(usize, usize)> {
    let mut holes = Vec::new();
    find_holes(node, node.start_byte(), &mut holes);
    holes
}

fn find_holes(node: Node<'_>, start: usize, holes: &mut Vec<(usize, usize)>) {
    if HOLES.contains(&node.kind()) {
        holes.push((node.start_byte() - start, node.end_byte() - start));
        return;
    }
    for idx in 0..node.named_child_count() {
        if let Some(child) = node.named_child(u32::try_from(idx).unwrap_or(u32::MAX)) {
            find_holes(child, start, holes);
        }
    }
}

/// Progress through a brace expansion `{a,b}`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    None,
    Open,
    Separated,
}

struct WordReader {
    chars: Vec<(usize, char)>,
    at: usize,
    holes: Vec<(usize, usize)>,
    word: ShellWord,
    value: String,
    known: bool,
    brace: Brace,
}

impl WordReader {
    /// Reads the word; `None` if the text is not one word.
    fn read(mut self) -> Option<ShellWord> {
        while let Some(c) = self.peek() {
            if self.skip_hole(true) {
                continue;
            }
            self.at += 1;
            match c {
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(escaped) => self.push(escaped),
                    None => return None,
                },
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '$' if self.peek() == Some('\'') => {
                    self.at += 1;
                    self.ansi_quoted()?;
                }
                '$' if self.peek() == Some('"') => {
                    self.at += 1;
                    self.double_quoted()?;
                }
                '$' if self.peek().is_some_and(starts_expansion) => return None,
                '`' => return None,
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' => return None,
                '*' | '?' => self.unknown(true),
                '[' if self.chars[self.at..].iter().any(|(_, c)| *c == ']') => self.unknown(true),
                '{' => {
                    self.brace = Brace::Open;
                    self.push(c);
                }
                ',' if self.brace == Brace::Open => {
                    self.brace = Brace::Separated;
                    self.push(c);
                }
                '.' if self.brace == Brace::Open && self.peek() == Some('.') => {
                    self.brace = Brace::Separated;
                    self.push(c);
                }
                '}' if self.brace == Brace::Separated => self.unknown(true),
                _ => self.push(c),
            }
        }
        if self.known {
            self.word.text = Some(self.value);
        }
        Some(self.word)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).map(|(_, c)| *c)
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn push(&mut self, c: char) {
        self.value.push(c);
        if self.known {
            self.word.prefix.push(c);
        }
    }

    fn unknown(&mut self, splits: bool) {
        self.known = false;
        self.word.splits |= splits;
    }

    /// Skips a part that only the running shell knows.
    fn skip_hole(&mut self, splits: bool) -> bool {
        let Some((start, _)) = self.chars.get(self.at) else {
            return false;
        };
        let Some((_, end)) = self.holes.iter().find(|(from, _)| from == start).copied() else {
            return false;
        };
        self.unknown(splits);
        while self.chars.get(self.at).is_some_and(|(offset, _)| *offset < end) {
            self.at += 1;
        }
        true
    }

    fn single_quoted(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '\'' => return Some(()),
                c => self.push(c),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<()> {
        loop {
            // `"$@"` is quoted and still several words.
            let start = self.at;
            if self.skip_hole(false) {
                let hole: String = self.chars[start..self.at].iter().map(|(_, c)| *c).collect();
                if hole == "$@" || hole.contains("[@]") || hole.starts_with("${@") {
                    self.word.splits = true;
                }
                continue;
            }
            match self.next()? {
                '"' => return Some(()),
                '\\' => match self.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => self.push(c),
                    c => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                '`' => return None,
                '$' if self.peek().is_some_and(starts_expansion) => return None,
                c => self.push(c),
            }
        }
    }

    fn ansi_quoted(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '\'' => return Some(()),
                '\\' => self.ansi_escape()?,
                c => self.push(c),
            }
        }
    }

    fn ansi_escape(&mut self) -> Option<()> {
        let c = match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' => '\\',
            '\'' => '\'',
            '"' => '"',
            '?' => '?',
            'x' => self.digits(16, 2)?,
            'u' => self.digits(16, 4)?,
            'U' => self.digits(16, 8)?,
            'c' => char::from_u32(u32::from(self.next()?) & 0x1f)?,
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)?
            }
            _ => return None,
        };
        // A NUL ends the text in bash; no command needs one, so it is refused.
        (c != '\0').then(|| self.push(c))
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<char> {
        let mut number = 0;
        let mut n_digits = 0;
        while n_digits < most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            number = number * radix + digit;
            n_digits += 1;
            self.at += 1;
        }
        // A byte above 127 would be only part of a character.
        (n_digits > 0 && (most > 3 || number < 128)).then(|| char::from_u32(number))?
    }
}

/// Whether `$` before this character starts an expansion.
fn starts_expansion(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '{' | '(' | '[' | '@' | '*' | '#' | '?' | '$' | '!' | '-')
}
