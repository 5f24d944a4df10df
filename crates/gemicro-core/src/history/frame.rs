//! Frames around turns that no content can forge.
//!
//! A frame is a line `<<tag title`, the content, and a line `<</tag`. A content line that starts like a frame (bars,
//! then `<<`) gets one more bar in front, which is removed on reading: so no content opens or closes a frame, even if
//! its author knows the tag. Reading splits lines only at `\n`; writing also adds the bar after other line ends and
//! invisible characters, because models may see lines there.

use gemicro_event::text::{is_invisible, is_line_end};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Identifies the frames of one epoch: six letters and digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tag(String);

impl Tag {
    const LETTERS: &'static [u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    const LENGTH: usize = 6;

    /// A tag derived from `seed` that does not occur in any of the texts.
    #[must_use]
    pub fn unused_in<'a>(seed: &str, texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut attempt = 0_u64;
        loop {
            let tag = Self::derive(seed, attempt);
            if !texts.clone().any(|text| text.contains(&tag.0)) {
                return tag;
            }
            attempt += 1;
        }
    }

    fn derive(seed: &str, attempt: u64) -> Self {
        let digest = Sha256::new()
            .chain_update(seed)
            .chain_update(attempt.to_le_bytes())
            .finalize();
        let letters = digest.iter().take(Self::LENGTH);
        Self(
            letters
                .map(|byte| char::from(Self::LETTERS[usize::from(byte % 32)]))
                .collect(),
        )
    }

    /// Parses a tag; `None` unless it is six letters or digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == Self::LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fits.then(|| Self(text.to_owned()))
    }

    /// The letters that mark the frames.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A parsed frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The rest of the first line after the tag.
    pub title: String,
    /// The content, byte for byte.
    pub content: String,
}

/// A prompt is not a sequence of frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// A frame has no end.
    #[error("the frame `{title}` is not closed")]
    NotClosed {
        /// The rest of its first line.
        title: String,
    },
    /// A frame's title is not valid.
    #[error("`{title}` is not the title of a frame")]
    Title {
        /// The invalid title.
        title: String,
    },
}

/// Writes a frame. The title must be one line.
pub(super) fn write_frame(out: &mut String, tag: &Tag, title: &str, content: &str) {
    out.push_str("<<");
    out.push_str(tag.as_str());
    out.push(' ');
    out.push_str(title);
    out.push('\n');
    stuff(out, content);
    out.push_str("\n<</");
    out.push_str(tag.as_str());
    out.push('\n');
}

/// Reads all frames with this tag. Text between them is skipped.
pub(super) fn read_frames(prompt: &str, tag: &Tag) -> Result<Vec<Frame>, FrameError> {
    let opening = format!("<<{} ", tag.as_str());
    let closing = format!("<</{}", tag.as_str());
    let mut frames = Vec::new();
    let mut lines = prompt.split('\n');
    while let Some(line) = lines.next() {
        let Some(title) = line.strip_prefix(&opening) else {
            continue;
        };
        let mut content = String::new();
        let mut is_first = true;
        loop {
            let Some(line) = lines.next() else {
                return Err(FrameError::NotClosed {
                    title: title.to_owned(),
                });
            };
            if line == closing {
                break;
            }
            if !is_first {
                content.push('\n');
            }
            is_first = false;
            content.push_str(line);
        }
        frames.push(Frame {
            title: title.to_owned(),
            content: unstuff(&content),
        });
    }
    Ok(frames)
}

/// Copies the content with a bar before every line that starts like a frame.
fn stuff(out: &mut String, content: &str) {
    if !content.contains("<<") {
        out.push_str(content);
        return;
    }
    for line in lines_of(content) {
        if starts_like_a_frame(line) {
            out.push('|');
        }
        out.push_str(line);
    }
}

fn unstuff(content: &str) -> String {
    if !content.contains("<<") {
        return content.to_owned();
    }
    lines_of(content)
        .map(|line| match line.strip_prefix('|') {
            Some(rest) if starts_like_a_frame(line) => rest,
            _ => line,
        })
        .collect()
}

/// Whether a line is bars and invisible characters and then `<<`. One more bar does not change the answer.
fn starts_like_a_frame(line: &str) -> bool {
    line.trim_start_matches(|letter| letter == '|' || is_unseen(letter))
        .starts_with("<<")
}

/// The lines of a text with their ends, split at every character that can be taken for a line end.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(is_line_end)
}

/// Characters that a reader does not see at the start of a line.
pub(super) fn is_unseen(letter: char) -> bool {
    letter == '\0' || is_invisible(letter)
}
