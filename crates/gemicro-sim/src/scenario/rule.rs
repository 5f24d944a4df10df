//! One rule: which requests it applies to, how often, and its action.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::fault::{AnswerFault, DailyQuota, Fault, HtmlPage, HttpFault, RateLimit};
use super::reply::{Persona, RawReply, ScriptedReply};

/// One entry of `rules`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RuleEntry", into = "RuleEntry")]
pub struct ScenarioRule {
    /// Name in the log.
    pub name: Option<String>,
    /// Which requests the rule applies to.
    pub when: Condition,
    /// Only this one of the requests that match `when`, counted from 1.
    pub call: Option<NonZeroU64>,
    /// Only every second (third, …) of them.
    pub every: Option<NonZeroU64>,
    /// At most this many of them; later ones are passed to the next rule.
    pub times: Option<NonZeroU64>,
    /// The response.
    pub action: RuleAction,
}

/// The action of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleAction {
    /// The model answers, possibly with a fault.
    Answer {
        /// The answer; by default that of the helper.
        reply: Box<ScriptedReply>,
        /// The fault.
        fault: Option<AnswerFault>,
    },
    /// An HTTP error in the format of the endpoint.
    Http(HttpFault),
    /// An HTML error page, as from a proxy.
    Html(HtmlPage),
    /// A temporary 429.
    RateLimit(RateLimit),
    /// A 429 that lasts until the next day.
    DailyQuota(DailyQuota),
    /// A recorded response, sent byte for byte.
    Raw(RawReply),
}

impl ScenarioRule {
    /// Returns true if the rule applies to the `nth` matching request after `taken` uses.
    pub(crate) fn takes(&self, nth: u64, taken: u64) -> bool {
        self.call.is_none_or(|call| call.get() == nth)
            && self.every.is_none_or(|every| nth.is_multiple_of(every.get()))
            && self.times.is_none_or(|times| taken < times.get())
    }
}

/// A rule in the file format.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default)]
    when: Condition,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    every: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<ScriptedReply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    raw: Option<RawReply>,
}

impl TryFrom<RuleEntry> for ScenarioRule {
    type Error = String;

    fn try_from(entry: RuleEntry) -> Result<Self, Self::Error> {
        let action = match (entry.reply, entry.fault, entry.raw) {
            (None, None, None) => {
                return Err("the rule does nothing: expected `reply`, `fault` or `raw`".to_owned());
            }
            (None, None, Some(raw)) => RuleAction::Raw(raw),
            (_, _, Some(_)) => {
                return Err("`raw` is a whole response: expected no `reply` or `fault` with it".to_owned());
            }
            (reply, fault, None) => parse_action(reply, fault)?,
        };
        Ok(Self {
            name: entry.name,
            when: entry.when,
            call: entry.call,
            every: entry.every,
            times: entry.times,
            action,
        })
    }
}

fn parse_action(reply: Option<ScriptedReply>, fault: Option<Fault>) -> Result<RuleAction, String> {
    if let Some(reply) = &reply {
        let voices = [
            reply.text.is_some(),
            reply.json.is_some(),
            reply.persona.is_some(),
        ];
        if voices.iter().filter(|given| **given).count() > 1 {
            return Err("expected only one of `text`, `json` and `persona` in a reply".to_owned());
        }
        if reply.knows.is_some() && reply.persona != Some(Persona::Perfect) {
            return Err("`knows` needs `persona: perfect`".to_owned());
        }
        if reply
            .chunks
            .as_ref()
            .is_some_and(|chunks| chunks.sizes.is_empty())
        {
            return Err("`sizes` is empty: expected at least one size".to_owned());
        }
    }
    let has_reply = reply.is_some();
    let answer = |fault| RuleAction::Answer {
        reply: Box::new(reply.unwrap_or_default()),
        fault,
    };
    let action = match fault {
        None => answer(None),
        Some(Fault::Cut(cut)) => answer(Some(AnswerFault::Cut(cut))),
        Some(Fault::Hang(hang)) => answer(Some(AnswerFault::Hang(hang))),
        Some(Fault::Garbage) => answer(Some(AnswerFault::Garbage)),
        Some(Fault::Empty) => answer(Some(AnswerFault::Empty)),
        Some(Fault::Safety(safety)) => answer(Some(AnswerFault::Safety(safety))),
        Some(Fault::MaxTokens(limit)) => answer(Some(AnswerFault::MaxTokens(limit))),
        Some(Fault::ContentType(name)) => answer(Some(AnswerFault::ContentType(name))),
        Some(Fault::Noise) => answer(Some(AnswerFault::Noise)),
        Some(Fault::StreamError(error)) => answer(Some(AnswerFault::StreamError(error))),
        Some(_) if has_reply => {
            return Err("an HTTP error has no answer: expected no `reply` with this fault".to_owned());
        }
        Some(Fault::Http(http)) => RuleAction::Http(http),
        Some(Fault::Html(page)) => RuleAction::Html(page),
        Some(Fault::RateLimit(limit)) => RuleAction::RateLimit(limit),
        Some(Fault::DailyQuota(quota)) => RuleAction::DailyQuota(quota),
    };
    Ok(action)
}

impl From<ScenarioRule> for RuleEntry {
    fn from(rule: ScenarioRule) -> Self {
        let (reply, fault, raw) = match rule.action {
            RuleAction::Answer { reply, fault } => (Some(*reply), fault.map(Fault::from), None),
            RuleAction::Http(http) => (None, Some(Fault::Http(http)), None),
            RuleAction::Html(page) => (None, Some(Fault::Html(page)), None),
            RuleAction::RateLimit(limit) => (None, Some(Fault::RateLimit(limit)), None),
            RuleAction::DailyQuota(quota) => (None, Some(Fault::DailyQuota(quota)), None),
            RuleAction::Raw(raw) => (None, None, Some(raw)),
        };
        Self {
            name: rule.name,
            when: rule.when,
            call: rule.call,
            every: rule.every,
            times: rule.times,
            reply,
            fault,
            raw,
        }
    }
}

impl From<AnswerFault> for Fault {
    fn from(fault: AnswerFault) -> Self {
        match fault {
            AnswerFault::Cut(cut) => Self::Cut(cut),
            AnswerFault::Hang(hang) => Self::Hang(hang),
            AnswerFault::Garbage => Self::Garbage,
            AnswerFault::Empty => Self::Empty,
            AnswerFault::Safety(safety) => Self::Safety(safety),
            AnswerFault::MaxTokens(limit) => Self::MaxTokens(limit),
            AnswerFault::ContentType(name) => Self::ContentType(name),
            AnswerFault::Noise => Self::Noise,
            AnswerFault::StreamError(error) => Self::StreamError(error),
        }
    }
}
