//! Cuts a reply where it continues with invented turns of others.
//!
//! Models that see a conversation as text sometimes continue it: they write the user's next message themselves.
//! [`cut_invented`] finds where that starts. The cut part is reported and never stored as a turn.

use gemicro_event::text::is_line_end;
use serde::{Deserialize, Serialize};

use super::Tag;
use super::frame::is_unseen;

/// A reply without its invented part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutReply<'a> {
    /// The reply up to the first invented turn.
    pub kept: &'a str,
    /// The invented part, if any.
    pub invented: Option<InventedTurn>,
}

/// The start of an invented turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventedTurn {
    /// How it was recognised.
    pub sign: InventedSign,
    /// Its start in the reply, in bytes.
    pub at: usize,
    /// Number of bytes that were cut.
    pub bytes: usize,
}

/// How an invented turn was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InventedSign {
    /// One of gemicro's frames, or something that looks like one.
    Frame,
    /// A label such as `User:`.
    Label,
    /// A marker of a chat format, such as `<|im_start|>`.
    ChatFormat,
}

/// Cuts a reply at the first turn that it invents.
///
/// gemicro's own frames count everywhere; labels and chat formats only outside code fences, because a program may print
/// them. A label that is also an ordinary word (`Q:`, `### System`) counts only if a definite sign follows.
#[must_use]
pub fn cut_invented<'a>(reply: &'a str, tag: &Tag) -> CutReply<'a> {
    let mut fence: Option<&str> = None;
    let mut before = Before::Start;
    let mut doubtful: Option<usize> = None;
    let mut at = 0;
    for line in reply.split_inclusive(is_line_end) {
        let text = line.trim_end_matches(is_line_end);
        let visible = text.trim_start_matches(is_unseen);
        let found = frame_sign(visible, tag).or_else(|| match (fence, before) {
            (Some(_), _) => None,
            (None, Before::Text) => chat_sign(visible),
            (None, Before::Start | Before::Blank) => {
                chat_sign(visible).or_else(|| label_sign(visible, before))
            }
        });
        match found {
            Some((sign, Sureness::Sure)) => {
                let (at, sign) = doubtful.map_or((at, sign), |earlier| (earlier, InventedSign::Label));
                return CutReply {
                    kept: reply[..at].trim_end(),
                    invented: Some(InventedTurn {
                        sign,
                        at,
                        bytes: reply.len() - at,
                    }),
                };
            }
            Some((_, Sureness::Doubtful)) => doubtful = doubtful.or(Some(at)),
            None => {}
        }
        fence = match (fence, fence_mark(text)) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if mark.starts_with(open) => None,
            (Some(open), _) => Some(open),
        };
        before = match before {
            Before::Start if text.trim().is_empty() => Before::Start,
            _ if text.trim().is_empty() => Before::Blank,
            _ => Before::Text,
        };
        at += line.len();
    }
    CutReply {
        kept: reply,
        invented: None,
    }
}

/// Whether a sign is sufficient by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sureness {
    Sure,
    Doubtful,
}

/// What precedes the current line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    Blank,
    Text,
}

fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let letter = line.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let end = line.find(|next| next != letter).unwrap_or(line.len());
    (end >= 3).then(|| &line[..end])
}

/// Recognises gemicro's frames, and frames with another tag of the same form.
fn frame_sign(line: &str, tag: &Tag) -> Option<(InventedSign, Sureness)> {
    let rest = line.trim_start_matches('|').strip_prefix("<<")?;
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let word_end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let (word, after) = rest.split_at(word_end);
    let is_frame = word == tag.as_str()
        || (word.len() == tag.as_str().len() && (after.trim().is_empty() || titles_a_turn(after)));
    is_frame.then_some((InventedSign::Frame, Sureness::Sure))
}

fn titles_a_turn(title: &str) -> bool {
    let mut words = title.split_whitespace();
    words
        .next()
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        && words
            .next()
            .is_some_and(|author| super::Author::parse(author).is_some())
}

/// Markers that open a turn in the chat formats of models.
const CHAT_MARKS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|eot_id|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
    "<|start|>",
    "<s>[INST]",
    "[INST]",
    "<<SYS>>",
    "<user>",
    "<human>",
    "<assistant>",
    "<system>",
    "<turn ",
    "<message><role>",
    "<message role=",
];

/// Markers that never occur in ordinary text, so they also count inside a line.
const SPECIAL_MARKS: &[&str] = &["<|im_start|>", "<start_of_turn>", "<|start_header_id|>"];

fn chat_sign(line: &str) -> Option<(InventedSign, Sureness)> {
    let start = line.trim_start();
    let opens = CHAT_MARKS.iter().any(|mark| {
        start
            .get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    });
    let has_special = || {
        SPECIAL_MARKS
            .iter()
            .any(|mark| line.contains(mark) && !line.contains('`'))
    };
    (opens || has_special()).then_some((InventedSign::ChatFormat, Sureness::Sure))
}

/// Labels that only occur on turns.
const SURE_LABELS: &[&str] = &["user", "human", "assistant", "用户", "助手"];

/// Labels that also occur in ordinary text.
const DOUBTFUL_LABELS: &[&str] = &["system", "ai", "model", "bot", "q", "a", "人类", "系统"];

/// Labels of the model itself: at the very start they only name the reply.
const OWN_LABELS: &[&str] = &["assistant", "ai", "model", "bot", "a", "助手"];

fn label_sign(line: &str, before: Before) -> Option<(InventedSign, Sureness)> {
    let (label, form) = label(line)?;
    let label = label.to_lowercase();
    let label = label.as_str();
    if before == Before::Start && OWN_LABELS.contains(&label) {
        return None;
    }
    let sureness = match form {
        LabelForm::Colon if SURE_LABELS.contains(&label) => Sureness::Sure,
        LabelForm::Colon | LabelForm::Heading
            if SURE_LABELS.contains(&label) || DOUBTFUL_LABELS.contains(&label) =>
        {
            Sureness::Doubtful
        }
        LabelForm::Colon | LabelForm::Heading => return None,
    };
    Some((InventedSign::Label, sureness))
}

/// How a label is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelForm {
    /// `Word:`, `word>`, `**Word**:`.
    Colon,
    /// `### Word`, `[word]`: also occurs in ordinary markup.
    Heading,
}

fn label(line: &str) -> Option<(&str, LabelForm)> {
    let line = line.trim();
    if let Some(heading) = line.strip_prefix('#') {
        let heading = heading.trim_start_matches('#').trim_start();
        return heading
            .split([' ', ':', '\u{ff1a}'])
            .next()
            .map(|word| (word, LabelForm::Heading));
    }
    if let Some(rest) = line.strip_prefix('[') {
        return rest.split_once(']').map(|(word, _)| (word, LabelForm::Heading));
    }
    let line = line.trim_start_matches('*');
    let (word, after) = line.split_at(line.find([':', '\u{ff1a}', '>', '*'])?);
    after
        .trim_start_matches('*')
        .starts_with([':', '\u{ff1a}', '>'])
        .then_some((word, LabelForm::Colon))
}
