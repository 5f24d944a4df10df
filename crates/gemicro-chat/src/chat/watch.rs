//! Watches the run of a turn: shows its progress, and determines how it ended.

use gemicro_core::ask::{AgentTrouble, AskReaders, ToolEnd};
use gemicro_core::live::LiveItem;
use gemicro_core::prompt::PromptReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Event, Failure, StepKey, Usage};

use super::news::{News, ToolLine, ToolQuestion, ToolState};

/// Maximum length of a word that is held back until it is complete.
const LONGEST_WORD: usize = 4_096;

/// The progress of a run.
#[derive(Debug)]
pub(super) struct TurnProgress {
    redactor: Redactor,
    /// The current line as received, and the part of it that was shown.
    line: String,
    sent_text: String,
    /// Step and attempt of the text, and how much of it is shown.
    shown: Option<(StepKey, u32, u64)>,
    /// Lines of tools that have not ended.
    tools: Vec<(String, String)>,
    /// Keys of open questions.
    questions: Vec<String>,
    /// A stop was requested: tools that end now were stopped, whatever the agent calls it.
    is_stopping: bool,
    answer: Option<Answer>,
    end: Option<End>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) session: Option<String>,
    pub(super) usage: Option<Usage>,
    /// The session had lost the conversation and received it again as one prompt.
    pub(super) retold: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    Answered(Answer),
    Failed {
        failure: Failure,
        /// It may have changed files, so the user must decide whether to repeat it.
        may_have_changed: bool,
    },
    Stopped,
}

impl TurnProgress {
    /// No progress yet; secrets in the text are redacted.
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            line: String::new(),
            sent_text: String::new(),
            shown: None,
            tools: Vec::new(),
            questions: Vec::new(),
            is_stopping: false,
            answer: None,
            end: None,
        }
    }

    /// The complete words of the text, without secrets. The last word may be incomplete and is held back.
    fn words(&mut self, text: &str) -> String {
        self.line.push_str(text);
        let mut out = String::new();
        while let Some(end) = self.line.find('\n') {
            let line: String = self.line.drain(..=end).collect();
            out.push_str(rest_of(&self.redactor.redact(&line), &self.sent_text));
            self.sent_text.clear();
        }
        let end = match self.line.rfind(char::is_whitespace) {
            Some(end) => end + self.line[end..].chars().next().map_or(1, char::len_utf8),
            None if self.line.len() > LONGEST_WORD => self.line.len(),
            None => 0,
        };
        let clean = self.redactor.redact(&self.line[..end]).into_owned();
        if clean.len() > self.sent_text.len() {
            out.push_str(rest_of(&clean, &self.sent_text));
            self.sent_text = clean;
        }
        out
    }

    /// Handles a piece of text; pieces may be repeated or missing.
    pub(super) fn live(&mut self, item: &LiveItem) -> Vec<News> {
        let mut news = Vec::new();
        let is_same =
            |(step, attempt, _): &(StepKey, u32, u64)| *step == item.step && *attempt == item.attempt;
        let n_shown = match &self.shown {
            Some(shown) if is_same(shown) => shown.2,
            Some(_) => {
                news.push(News::StartedOver);
                self.line.clear();
                self.sent_text.clear();
                0
            }
            None => 0,
        };
        let n_bytes = item.text.len() as u64;
        let end = item.offset + n_bytes;
        let text = if item.offset > n_shown {
            format!("…{}", item.text)
        } else {
            let known = usize::try_from(n_shown - item.offset).unwrap_or(usize::MAX);
            item.text.get(known..).unwrap_or_default().to_owned()
        };
        self.shown = Some((item.step.clone(), item.attempt, end.max(n_shown)));
        let words = self.words(&text);
        if !words.is_empty() {
            news.push(News::Text(words));
        }
        news
    }

    pub(super) fn event(&mut self, event: &Event) -> Vec<News> {
        let update = &event.update;
        let news = match update.event_type.as_str() {
            "tool_called" => update.as_tool_called().map(|called| {
                let text = match called.what.as_str() {
                    "" => called.tool,
                    what => format!("{}: {what}", called.tool),
                };
                self.tools.push((called.id.clone(), text.clone()));
                tool(called.id, text, ToolState::Running)
            }),
            "tool_ended" => update.as_tool_ended().and_then(|ended| {
                let state = match ended.end {
                    ToolEnd::Denied => ToolState::Denied,
                    ToolEnd::Done | ToolEnd::Failed if self.is_stopping => ToolState::Stopped,
                    ToolEnd::Done => ToolState::Done,
                    ToolEnd::Failed => ToolState::Failed,
                };
                let idx = self.tools.iter().position(|(id, _)| *id == ended.id)?;
                let (id, text) = self.tools.remove(idx);
                Some(tool(id, text, state))
            }),
            "cancel_requested" => {
                self.is_stopping = true;
                None
            }
            "answer_requested" => update.as_answer_requested().and_then(|asked| {
                self.questions.push(asked.key.clone());
                Some(News::Question(ToolQuestion {
                    key: asked.key,
                    tool: asked.tool?,
                    text: asked.what.unwrap_or_default(),
                }))
            }),
            "answer_given" => update
                .as_answer_given()
                .map(|given| self.close_question(given.key)),
            // The model continues with what it found: the following text is not a second attempt.
            "conversation_recalled" => {
                self.shown = None;
                self.line.clear();
                self.sent_text.clear();
                let id = format!("recall {}", event.seq);
                Some(tool(id, update.message.clone(), ToolState::Done))
            }
            "agent_noise" => Some(News::Notice(update.message.clone())),
            "step_alarm" => update.as_step_alarm().map(|alarm| News::Warning(alarm.message)),
            "step_retrying" => update
                .as_step_retrying()
                .map(|retrying| News::Warning(format!("{}: trying again", retrying.error.message))),
            "run_parked" => update
                .as_run_parked()
                .map(|parked| News::Warning(format!("{}: waiting until {}", parked.reason, parked.until))),
            "run_woken" => Some(News::Notice("the wait is over, continuing".to_owned())),
            "budget_warning" => update
                .as_budget_warning()
                .map(|warning| News::Warning(format!("{} % of the budget is used", warning.used_percent))),
            _ => None,
        };
        self.note_end(event);
        let mut news: Vec<News> = news.into_iter().collect();
        if self.end.is_some() {
            let open = std::mem::take(&mut self.questions);
            news.extend(open.into_iter().map(|key| News::Settled { key }));
        }
        news
    }

    /// How it ended; `None` while it runs.
    pub(super) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Whether a question is open.
    pub(super) fn asks(&self, key: &str) -> bool {
        self.questions.iter().any(|open| open == key)
    }

    fn close_question(&mut self, key: String) -> News {
        self.questions.retain(|open| *open != key);
        News::Settled { key }
    }

    fn note_end(&mut self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "agent_answered" => {
                self.answer = update.as_agent_answered().map(|answered| Answer {
                    text: answered.answer.text,
                    session: answered.answer.session,
                    usage: answered.answer.usage,
                    retold: answered.answer.retold,
                });
            }
            "model_answered" => {
                self.answer = update.as_model_answered().map(|answered| Answer {
                    text: answered.text,
                    session: answered.interaction,
                    usage: Some(answered.usage),
                    retold: answered.retold,
                });
            }
            "final_result" => {
                let answer = self.answer.take();
                self.end = Some(answer.map_or_else(no_answer, End::Answered));
            }
            "run_failed" => {
                self.end = update.as_run_failed().map(|failed| End::Failed {
                    may_have_changed: AgentTrouble::of(&failed.error).may_have_changed,
                    failure: failed.error,
                });
            }
            "run_cancelled" => self.end = Some(End::Stopped),
            "run_interrupted" => {
                let reason = update
                    .as_run_interrupted()
                    .map(|it| it.reason)
                    .unwrap_or_default();
                self.end = Some(failed_end(ErrorKind::Interrupted, &reason));
            }
            "run_suspended" => {
                self.end = Some(failed_end(ErrorKind::Interrupted, "its process stopped"));
            }
            "run_resumed" => self.end = None,
            _ => {}
        }
    }
}

/// An end without an answer.
pub(super) fn failed_end(kind: ErrorKind, message: &str) -> End {
    End::Failed {
        failure: Failure::new(kind, message),
        may_have_changed: false,
    }
}

fn no_answer() -> End {
    failed_end(ErrorKind::EmptyResult, "the run completed without an answer")
}

fn tool(id: String, text: String, state: ToolState) -> News {
    News::Tool(ToolLine { id, text, state })
}

/// The part of a text that has not been sent yet.
fn rest_of<'t>(text: &'t str, sent: &str) -> &'t str {
    let same = text
        .bytes()
        .zip(sent.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    &text[text.floor_char_boundary(same)..]
}

#[cfg(test)]
mod tests {
    use gemicro_core::ask::{ToolCalled, ToolEnded};
    use gemicro_core::run::events::CancelRequested;
    use gemicro_event::{AgentUpdate, CommandId, StreamId, Timestamp};

    use super::*;

    const KEY: &str = "AIzaSyA1234567890abcdefghijklmnopqrstuv";

    /// What is sent of a text that comes in pieces of this many bytes.
    fn sent_text(text: &str, size: usize) -> String {
        let mut seen = TurnProgress::new(Redactor::new(&[KEY.to_owned()]));
        let mut sent = String::new();
        for (n, piece) in text.as_bytes().chunks(size).enumerate() {
            let item = LiveItem {
                step: StepKey::new("whole"),
                attempt: 1,
                offset: (n * size) as u64,
                text: String::from_utf8(piece.to_vec()).expect("ASCII"),
            };
            for news in seen.live(&item) {
                if let News::Text(text) = news {
                    sent.push_str(&text);
                }
            }
        }
        sent
    }

    #[test]
    fn a_secret_is_never_sent_however_it_is_cut() {
        let text = format!("Your key is {KEY} and\n{KEY}\nthat is all of it.\n");
        for size in 1..=text.len() {
            let sent = sent_text(&text, size);
            assert!(!sent.contains("AIzaSyA123"), "{size}: {sent}");
            assert!(
                sent.starts_with("Your key is ") && sent.ends_with("that is all of it.\n"),
                "{size}: {sent}"
            );
        }
    }

    #[test]
    fn a_tool_that_ends_after_a_stop_was_stopped() {
        let tool_states = |stops: bool, end: ToolEnd| {
            let mut seen = TurnProgress::new(Redactor::new(std::iter::empty::<&str>()));
            let called = ToolCalled {
                id: "t".to_owned(),
                tool: "Bash".to_owned(),
                what: "sleep 50".to_owned(),
            };
            let cancel = CancelRequested {
                command_id: CommandId::random(),
                reason: String::new(),
            };
            let ended = ToolEnded {
                id: "t".to_owned(),
                end,
            };
            let now = Timestamp::now();
            let mut updates = vec![AgentUpdate::new(&called, now)];
            updates.extend(stops.then(|| AgentUpdate::new(&cancel, now)));
            updates.push(AgentUpdate::new(&ended, now));
            let events = updates.into_iter().map(|update| Event {
                stream: StreamId::random(),
                seq: 1,
                schema_version: 1,
                update,
                step: None,
                parent_run: None,
                trace: None,
                extra: Vec::new(),
            });
            let news: Vec<News> = events.flat_map(|event| seen.event(&event)).collect();
            match news.last() {
                Some(News::Tool(tool)) => tool.state,
                other => panic!("{other:?}"),
            }
        };
        for (end, unstopped, stopped) in [
            (ToolEnd::Done, ToolState::Done, ToolState::Stopped),
            (ToolEnd::Failed, ToolState::Failed, ToolState::Stopped),
            (ToolEnd::Denied, ToolState::Denied, ToolState::Denied),
        ] {
            assert_eq!(tool_states(false, end), unstopped);
            assert_eq!(tool_states(true, end), stopped);
        }
    }

    #[test]
    fn plain_text_is_sent_whole_and_word_by_word() {
        let text = "one two\nthree four\n";
        for size in 1..=text.len() {
            assert_eq!(sent_text(text, size), text, "{size}");
        }
        assert_eq!(sent_text("one two thr", 1), "one two ");
    }
}
