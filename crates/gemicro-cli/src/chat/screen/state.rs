//! The state of the screen: a fold of news and keys.

use std::collections::VecDeque;
use std::time::Duration;

use gemicro_chat::{Chapter, Meter, News, ToolLine, ToolState};
use gemicro_core::history::{Author, Turn};
use gemicro_event::StreamId;

use super::editor::{Draft, Editor};
use super::layout::EntryKind;
use super::question::PendingQuestion;
use super::theme::Theme;
use super::transcript::ScreenTranscript;
use crate::chat::words;
use crate::screen::text;

/// Maximum number of characters shown of a remark in the log.
const MAX_REMARK: usize = 1_000;

/// Maximum number of characters kept of a name.
const MAX_NAME: usize = 200;

/// The screen of one chat. Time comes in only through [`ScreenState::at`].
#[derive(Debug)]
pub(super) struct ScreenState {
    pub(super) theme: Theme,
    /// Time since the screen was opened.
    pub(super) now: Duration,
    /// The name of the conversation, and the agent or model that answers.
    pub(super) name: String,
    pub(super) speaker: String,
    /// The conversation, once it has a message.
    pub(super) conversation: Option<StreamId>,
    open: Option<StreamId>,
    pub(super) transcript: ScreenTranscript,
    pub(super) editor: Editor,
    pub(super) meter: Option<Meter>,
    pub(super) activity: Activity,
    pub(super) questions: VecDeque<PendingQuestion>,
    /// A hint about the last key.
    pub(super) hint: Option<&'static str>,
}

/// The activity of the chat.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// It waits for orders.
    Idle,
    /// A message was sent, and the answer has not begun.
    Sent(Draft),
    /// It waits for an answer.
    Answering {
        /// When the wait began.
        since: Duration,
        /// The run that answers.
        run: StreamId,
    },
    /// It waits for an answer, and was asked to stop.
    Stopping {
        /// When the wait began.
        since: Duration,
        /// The run that answered.
        run: StreamId,
    },
    /// It was asked to end.
    Closing,
    Over,
}

impl ScreenState {
    /// A screen without a conversation yet.
    pub(super) fn new(theme: Theme) -> Self {
        Self {
            theme,
            now: Duration::ZERO,
            name: String::new(),
            speaker: String::new(),
            conversation: None,
            open: None,
            transcript: ScreenTranscript::new(theme),
            editor: Editor::new(),
            meter: None,
            activity: Activity::Idle,
            questions: VecDeque::new(),
            hint: None,
        }
    }

    /// Sets the current time.
    pub(super) fn at(&mut self, now: Duration) {
        self.now = now;
    }

    /// Whether something on the screen is animated.
    pub(super) fn is_moving(&self) -> bool {
        !self.questions.is_empty() || !matches!(self.activity, Activity::Idle | Activity::Over)
    }

    /// Whether an answer is in progress, so that other orders have to wait.
    pub(super) fn is_busy(&self) -> bool {
        match self.activity {
            Activity::Sent(_) | Activity::Answering { .. } | Activity::Stopping { .. } => true,
            Activity::Idle | Activity::Closing | Activity::Over => false,
        }
    }

    pub(super) fn news(&mut self, news: News) {
        match news {
            News::Opened(chapter) => self.show_opened(chapter),
            News::Speaker(name) => {
                self.speaker = short(&name);
                let notice = format!("{} answers from now on", self.speaker);
                self.transcript.push(EntryKind::Notice, &notice, None);
            }
            News::Asked { turn, run, .. } => {
                if self.name.is_empty() {
                    // The first message names the conversation.
                    self.name = short(turn.text.trim().lines().next().unwrap_or_default());
                }
                self.conversation.clone_from(&self.open);
                self.transcript
                    .push(EntryKind::User, &turn.text, Some(turn.number));
                self.transcript.begin_answer();
                let since = self.now;
                if self.activity != Activity::Closing {
                    self.activity = Activity::Answering { since, run };
                }
            }
            News::Text(piece) => self.transcript.append(&piece),
            News::StartedOver => {
                self.transcript.start_over();
                self.transcript.push(EntryKind::Notice, "trying again", None);
            }
            News::Tool(tool) => self.transcript.tool(&tool),
            News::Question(question) => self.questions.push_back(PendingQuestion::new(question, self.now)),
            News::Settled { key } => self.show_settled(&key),
            News::Answered {
                turn,
                usage,
                duration_ms,
            } => {
                self.transcript.answer(&turn.text, turn.number);
                let words = words::answer_footer(duration_ms, usage.as_ref());
                self.transcript.push(EntryKind::Notice, &words, Some(turn.number));
                self.end_answer();
            }
            News::Failed {
                failure,
                offers_clear,
            } => {
                let run = match &self.activity {
                    Activity::Answering { run, .. } | Activity::Stopping { run, .. } => Some(run.clone()),
                    Activity::Idle | Activity::Sent(_) | Activity::Closing | Activity::Over => None,
                };
                self.transcript.push(EntryKind::Failure, &failure.message, None);
                for hint in words::hints(&failure, run.as_ref(), offers_clear) {
                    self.transcript.push(EntryKind::Hint, &hint, None);
                }
                self.end_answer();
            }
            News::Stopped => {
                self.transcript
                    .push(EntryKind::Notice, "stopped; your message stays", None);
                self.end_answer();
            }
            News::Undone { from } => {
                self.transcript.take_back(from);
                let words = "your last message is removed; pinned text stays";
                self.transcript.push(EntryKind::Notice, words, None);
            }
            News::Notice(words) => self.transcript.push(EntryKind::Notice, &words, None),
            News::Warning(words) => self.transcript.push(EntryKind::Warning, &words, None),
            News::Refused(words) => self.show_refusal(&words),
            News::Meter(meter) => self.meter = Some(meter),
            News::Listed(rows) => {
                self.transcript
                    .push(EntryKind::Page, &words::conversation_lines(&rows), None)
            }
            News::Closed => self.activity = Activity::Over,
            // Unknown news from a newer chat is ignored.
            _ => {}
        }
    }

    /// Shows a warning of the screen itself.
    pub(super) fn warn(&mut self, words: &str) {
        self.transcript.push(EntryKind::Warning, words, None);
        self.transcript.follow();
    }

    fn show_opened(&mut self, chapter: Chapter) {
        self.transcript = ScreenTranscript::new(self.theme);
        self.questions.clear();
        self.name = short(&chapter.name);
        self.speaker = short(&chapter.speaker);
        self.conversation = (chapter.n_turns > 0).then(|| chapter.id.clone());
        self.open = Some(chapter.id.clone());
        if self.activity != Activity::Closing {
            self.activity = Activity::Idle;
        }
        let n_hidden = chapter.n_turns.saturating_sub(chapter.turns.len() as u64);
        if n_hidden > 0 {
            let words = format!("{n_hidden} earlier turns are not shown");
            self.transcript.push(EntryKind::Notice, &words, None);
        }
        chapter.turns.iter().for_each(|turn| self.earlier(turn));
        if chapter.n_turns == 0 {
            self.transcript.push(
                EntryKind::Notice,
                "Type a message. /help lists commands and keys.",
                None,
            );
        }
    }

    /// Adds a turn that existed when the conversation was opened.
    fn earlier(&mut self, turn: &Turn) {
        let number = Some(turn.number);
        match turn.author {
            Author::User => self.transcript.push(EntryKind::User, &turn.text, number),
            Author::Assistant => {
                for call in &turn.calls {
                    let kind = EntryKind::Tool(call.id.clone(), ToolState::Done);
                    self.transcript.push(kind, &call.name, number);
                }
                self.transcript.push(EntryKind::Assistant, &turn.text, number);
            }
            // Tool output is for the model; only the tool calls are shown.
            Author::Tool => {}
            Author::System => {
                let words: String = turn.text.chars().take(MAX_REMARK).collect();
                self.transcript
                    .push(EntryKind::Notice, &text::one_line(&words), number);
            }
        }
    }

    fn show_refusal(&mut self, words: &str) {
        self.transcript.push(EntryKind::Warning, words, None);
        if matches!(self.activity, Activity::Sent(_))
            && let Activity::Sent(draft) = std::mem::replace(&mut self.activity, Activity::Idle)
            && self.editor.is_empty()
        {
            self.editor.show(draft);
        }
    }

    fn show_settled(&mut self, key: &str) {
        let first = self.questions.front().map(|it| it.question.key.clone());
        self.questions.retain(|it| it.question.key != key);
        if first.as_deref() == Some(key)
            && let Some(next) = self.questions.front_mut()
        {
            next.ask_again(self.now);
        }
    }

    /// The answer is complete, or will not come.
    fn end_answer(&mut self) {
        self.transcript.end_answer();
        self.questions.clear();
        if self.activity != Activity::Closing {
            self.activity = Activity::Idle;
        }
    }

    /// Removes a question that was answered here.
    pub(super) fn remove_question(&mut self, key: &str, allow: bool) {
        let found = self.questions.iter().find(|it| it.question.key == key);
        if let Some(pending) = found {
            let tool = ToolLine {
                id: format!("question {key}"),
                text: format!(
                    "{}: {}",
                    pending.question.tool,
                    if allow { "allowed" } else { "refused" }
                ),
                state: if allow { ToolState::Done } else { ToolState::Denied },
            };
            self.transcript.tool(&tool);
        }
        self.show_settled(key);
    }
}

/// The part of a name that the header may need.
fn short(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}
