//! Shell-like patterns: `*` matches any text, `?` one character.

use serde::{Deserialize, Serialize};

/// A pattern that a whole text must match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Glob(String);

impl Glob {
    /// Returns true if the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        let pattern: Vec<char> = self.0.chars().collect();
        let text: Vec<char> = text.chars().collect();
        let (mut p, mut t) = (0, 0);
        // Where to continue if the text after the last `*` does not match.
        let mut retry: Option<(usize, usize)> = None;
        while t < text.len() {
            match pattern.get(p) {
                Some('*') => {
                    retry = Some((p + 1, t));
                    p += 1;
                }
                Some(c) if *c == '?' || *c == text[t] => {
                    p += 1;
                    t += 1;
                }
                _ => match retry {
                    Some((after_star, taken)) => {
                        retry = Some((after_star, taken + 1));
                        p = after_star;
                        t = taken + 1;
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|c| *c == '*')
    }
}

impl TryFrom<String> for Glob {
    type Error = String;

    fn try_from(pattern: String) -> Result<Self, Self::Error> {
        if pattern.is_empty() {
            return Err(
                "an empty pattern matches nothing; leave the field out to match everything".to_owned(),
            );
        }
        Ok(Self(pattern))
    }
}

impl From<Glob> for String {
    fn from(glob: Glob) -> Self {
        glob.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        let cases = [
            ("gemini-*", "gemini-3.8-flash", true),
            ("gemini-*", "models/gemini-3.8-flash", false),
            ("*flash*", "gemini-3.8-flash-lite", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaaxbxb", true),
            ("*a*b", "xaaxbx", false),
            ("*", "", true),
            ("naïve*", "naïve\ntext", true),
        ];
        for (pattern, text, expected) in cases {
            let glob = Glob::try_from(pattern.to_owned()).unwrap();
            assert_eq!(glob.matches(text), expected, "{pattern} on {text}");
        }
    }
}
