//! What is reported about a run: [`RunNotice`], made from one event of its journal.

use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Event, StreamId, Timestamp};
use serde_json::{Value, json};

/// Event types that lead to a notice.
pub(crate) const NOTABLE: [&str; 6] = [
    "answer_requested",
    "final_result",
    "run_failed",
    "run_interrupted",
    "run_parked",
    "budget_warning",
];

/// Maximum length of a text in a notice.
const MAX_TEXT: usize = 2_000;

/// Why a notice is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// The run waits for an answer.
    NeedsYou,
    /// The run ended with a result.
    Finished,
    /// The run ended without one, but was not cancelled.
    Failed,
    /// The run waits for a provider's limit to end.
    Parked,
    /// Four fifths of the budget are used.
    Budget,
    /// A test by the user.
    Test,
}

/// A message about one event of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunNotice {
    /// Identifies it forever: the run and the sequence number of the event.
    pub id: String,
    /// Why it is sent.
    pub kind: NoticeKind,
    /// The run that it is about.
    pub run: StreamId,
    /// The request of the run, in one line.
    pub title: String,
    /// What happened, in one line.
    pub message: String,
    /// When the event of the run happened.
    pub at: Timestamp,
    data: Value,
}

impl NoticeKind {
    /// The kind that an event leads to; a part of another run or of a conversation only asks.
    pub(crate) fn of(event_type: &str, is_part: bool) -> Option<Self> {
        match event_type {
            "answer_requested" => Some(Self::NeedsYou),
            _ if is_part => None,
            "final_result" => Some(Self::Finished),
            "run_failed" | "run_interrupted" => Some(Self::Failed),
            "run_parked" => Some(Self::Parked),
            "budget_warning" => Some(Self::Budget),
            _ => None,
        }
    }

    /// Its name in events and variables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs_you",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Parked => "parked",
            Self::Budget => "budget",
            Self::Test => "test",
        }
    }
}

impl RunNotice {
    /// The notice about an event; `None` if there is nothing to report.
    pub(crate) fn of(row: &RunRow, event: &Event) -> Option<Self> {
        let kind = NoticeKind::of(&event.update.event_type, false)?;
        let message = match kind {
            // The message of a result may be long; the title says enough.
            NoticeKind::Finished => "The run has finished".to_owned(),
            _ => cut(&event.update.message),
        };
        let mut data = json!({
            "kind": kind.as_str(),
            "run": row.run.as_str(),
            "seq": event.seq,
            "flow": row.flow,
            "title": cut(&row.title),
            "message": message,
        });
        let more = details(kind, event);
        if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
            data.extend(more);
        }
        Some(Self {
            id: notice_id(&row.run, event.seq),
            kind,
            run: row.run.clone(),
            title: cut(&row.title),
            message,
            at: event.update.timestamp,
            data,
        })
    }

    /// A notice that tests the settings.
    #[must_use]
    pub fn test(at: Timestamp) -> Self {
        let run = StreamId::random();
        let (title, message) = ("Test", "Notifications of gemicro arrive here");
        Self {
            id: notice_id(&run, 0),
            kind: NoticeKind::Test,
            title: title.to_owned(),
            message: message.to_owned(),
            at,
            data: json!({ "kind": "test", "title": title, "message": message }),
            run,
        }
    }

    /// The notice as a CloudEvents 1.0 event.
    #[must_use]
    pub fn cloud_event(&self) -> Value {
        json!({
            "specversion": "1.0",
            "id": self.id,
            "source": "urn:gemicro",
            "type": format!("io.github.gemicro.run.{}", self.kind.as_str()),
            "subject": self.run.as_str(),
            "time": self.at.to_string(),
            "datacontenttype": "application/json",
            "data": self.data,
        })
    }
}

pub(crate) fn notice_id(run: &StreamId, seq: u64) -> String {
    format!("{run}.{seq}")
}

/// What the receiver needs to act, besides the message.
fn details(kind: NoticeKind, event: &Event) -> Value {
    let (run, update) = (&event.stream, &event.update);
    match kind {
        NoticeKind::NeedsYou => update.as_answer_requested().map(|asked| {
            json!({
                "question": cut(&asked.key),
                "tool": asked.tool,
                "what": asked.what.as_deref().map(cut),
                "answer_with": format!("gemicro answer {run}"),
            })
        }),
        NoticeKind::Failed => update.as_run_failed().map(|failed| {
            json!({
                "error_kind": failed.error.kind,
                "show_with": format!("gemicro show {run}"),
            })
        }),
        NoticeKind::Parked => update
            .as_run_parked()
            .map(|parked| json!({ "until": parked.until })),
        NoticeKind::Budget => update
            .as_budget_warning()
            .map(|warning| json!({ "used_percent": warning.used_percent, "spent": warning.spent })),
        NoticeKind::Finished | NoticeKind::Test => None,
    }
    .unwrap_or_default()
}

fn cut(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_TEXT)
        .collect();
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_another_run_only_asks() {
        for event_type in NOTABLE {
            let asks = event_type == "answer_requested";
            assert_eq!(NoticeKind::of(event_type, true).is_some(), asks, "{event_type}");
            assert!(NoticeKind::of(event_type, false).is_some(), "{event_type}");
        }
        assert_eq!(NoticeKind::of("run_cancelled", false), None);
    }
}
