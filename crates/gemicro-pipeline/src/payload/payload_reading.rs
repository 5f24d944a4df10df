//! Reads the payload in an answer.
//!
//! The main type is [`PayloadReading`]. It holds what was found and how; [`marks`](super::marks()) and the pipeline
//! decide whether it may be used.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::block_walk;
use super::blocks::{self, Blocks};
use super::clean::clean;
use super::fit::{Misfit, fits, is_echo, misfit};
use super::json;
use super::nonce::Nonce;
use super::product::AgentPayload;
use super::shape::PayloadShape;
use super::thoughts::without_thoughts;

/// Result of reading an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadState {
    /// A payload was found.
    Ok,
    /// The text contains nothing usable.
    Missing,
    /// Our block exists, but is not valid JSON.
    Unparsed,
    /// It is valid JSON, but has the wrong shape or values.
    SchemaMismatch,
    /// Two results disagree, or a later object contradicts the result.
    Ambiguous,
}

/// The findings in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PayloadReading {
    /// Result of the reading.
    pub state: ReadState,
    /// The payload; present only if the state is [`ReadState::Ok`].
    pub payload: Option<AgentPayload>,
    /// Whether it was submitted with our nonce: in a block, or by the tool.
    pub tagged: bool,
    /// Why it does not have its shape, as a message to the agent; present only if the state is
    /// [`ReadState::SchemaMismatch`].
    pub misfit: Option<String>,
}

/// Reads the payload of a role in the final message of its agent.
///
/// Only this message is read, never tool output or files. Time and memory are proportional to its size.
#[must_use]
pub fn read(output: &str, shape: PayloadShape, nonce: &Nonce) -> PayloadReading {
    read_with(output, &[], shape, nonce)
}

/// Like [`read`], but the agent could also submit the payload with the tool. A submission counts like a block with our
/// nonce before the message: everything else with the nonce must agree with it.
#[must_use]
pub fn read_with(output: &str, submitted: &[Value], shape: PayloadShape, nonce: &Nonce) -> PayloadReading {
    let text = clean(output);
    let answer = without_thoughts(&text);
    let blocks = blocks::find(answer, nonce);
    if blocks.ours.is_empty() && submitted.is_empty() {
        read_untagged(answer, &blocks, shape)
    } else {
        read_tagged(answer, &blocks, submitted, shape)
    }
}

impl ReadState {
    /// The name in events and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::Unparsed => "unparsed",
            Self::SchemaMismatch => "schema_mismatch",
            Self::Ambiguous => "ambiguous",
        }
    }
}

/// One submission with our nonce.
enum SubmittedBody<'a> {
    Read(Value),
    Unreadable(&'a str),
}

impl<'a> SubmittedBody<'a> {
    fn of(text: &'a str) -> Self {
        json::read_whole(text).map_or(Self::Unreadable(text), Self::Read)
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(left), Self::Read(right)) => json::same(left, right),
            (Self::Unreadable(left), Self::Unreadable(right)) => left == right,
            (Self::Read(_), Self::Unreadable(_)) | (Self::Unreadable(_), Self::Read(_)) => false,
        }
    }
}

fn read_tagged(
    answer: &str,
    blocks: &Blocks<'_>,
    submitted: &[Value],
    shape: PayloadShape,
) -> PayloadReading {
    let stopped = |state| PayloadReading {
        state,
        payload: None,
        tagged: true,
        misfit: None,
    };
    let mismatch = |misfit: Misfit, value: &Value| PayloadReading {
        misfit: Some(misfit.for_agent(shape, value)),
        ..stopped(ReadState::SchemaMismatch)
    };
    let submitted = submitted
        .iter()
        .map(|value| (SubmittedBody::Read(value.clone()), 0));
    let written = blocks
        .ours
        .iter()
        .map(|block| (SubmittedBody::of(block.body), block.end));
    let mut counting: Option<(SubmittedBody<'_>, usize)> = None;
    for (body, end) in submitted.chain(written) {
        if matches!(&body, SubmittedBody::Read(value) if is_echo(shape, value)) {
            continue;
        }
        if counting
            .as_ref()
            .is_some_and(|(earlier, _)| !earlier.is_same(&body))
        {
            return stopped(ReadState::Ambiguous);
        }
        counting = Some((body, end));
    }
    match counting {
        None => mismatch(Misfit::Echo, &Value::Null),
        Some((SubmittedBody::Unreadable(_), _)) => stopped(ReadState::Unparsed),
        Some((SubmittedBody::Read(value), end)) => {
            if let Some(misfit) = misfit(shape, &value) {
                return mismatch(misfit, &value);
            }
            let payload = AgentPayload::new(shape, value);
            if payload.decision().is_positive() && is_taken_back(answer, blocks, end, shape) {
                return stopped(ReadState::Ambiguous);
            }
            PayloadReading {
                state: ReadState::Ok,
                payload: Some(payload),
                tagged: true,
                misfit: None,
            }
        }
    }
}

/// Returns true if a negative object follows the result on lines of its own. If the rest cannot be searched, it is
/// assumed.
fn is_taken_back(answer: &str, blocks: &Blocks<'_>, end: usize, shape: PayloadShape) -> bool {
    let first_later = blocks.outside.partition_point(|part| part.start < end);
    let mut is_negative = false;
    let walk = block_walk::walk(answer, &blocks.outside[first_later..], |value| {
        is_negative |= fits(shape, &value) && AgentPayload::new(shape, value).decision().is_negative();
    });
    is_negative || walk.gave_up()
}

fn read_untagged(answer: &str, blocks: &Blocks<'_>, shape: PayloadShape) -> PayloadReading {
    let mut last = None;
    let walk = block_walk::walk(answer, &blocks.outside, |value| {
        if fits(shape, &value) {
            last = Some(value);
        }
    });
    let payload = last
        .filter(|_| !walk.gave_up())
        .map(|value| AgentPayload::new(shape, value));
    PayloadReading {
        state: if payload.is_some() {
            ReadState::Ok
        } else {
            ReadState::Missing
        },
        payload,
        tagged: false,
        misfit: None,
    }
}
