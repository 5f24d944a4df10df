//! News in lines: answers to one writer, everything else to another.

use std::io::{self, Write};

use gemicro_chat::{Meter, News, ToolQuestion, ToolState};
use gemicro_event::{ErrorKind, StreamId, escape_json};

use super::wire::NewsLine;
use crate::args::DataFormat;
use crate::chat::words;
use crate::screen::{Screen, numbers, text};

pub(super) struct LineWriter {
    pub(super) out: Box<dyn Write + Send>,
    /// What a person may want to know besides.
    pub(super) err: Box<dyn Write + Send>,
    /// How answers are printed.
    pub(super) format: DataFormat,
    pub(super) verbose: bool,
    /// What is at the ends.
    pub(super) screen: Screen,
}

/// What a voice remembers.
#[derive(Debug, Default)]
pub(super) struct WriterMemory {
    /// What was streamed of the answer that is on its way.
    streamed: String,
    run: Option<StreamId>,
    meter: Option<Meter>,
    /// The open conversation, and whether anything was said in it.
    conversation: Option<(StreamId, bool)>,
    /// A person leaves, and may want to come back.
    pub(super) leaves: bool,
    /// An earlier chat asked what is answered now.
    pub(super) is_earlier: bool,
    /// The kind of the last failure.
    pub(super) failed: Option<ErrorKind>,
}

impl LineWriter {
    pub(super) fn tell(&mut self, memory: &mut WriterMemory, news: &News) -> io::Result<()> {
        match news {
            News::Failed { failure, .. } => memory.failed = Some(failure.kind),
            News::Refused(_) => memory.failed = Some(ErrorKind::InvalidInput),
            News::Asked { run, .. } => {
                memory.run = Some(run.clone());
                if let Some((_, has_turns)) = &mut memory.conversation {
                    *has_turns = true;
                }
            }
            News::Opened(chapter) => {
                memory.conversation = Some((chapter.id.clone(), chapter.n_turns > 0));
            }
            News::Meter(meter) => memory.meter = Some(*meter),
            _ => {}
        }
        match self.format {
            DataFormat::Text => self.tell_people(memory, news),
            DataFormat::Json | DataFormat::Jsonl => match NewsLine::of(news, memory.run.as_ref()) {
                Some(line) => {
                    let line = serde_json::to_string(&line).map_err(io::Error::other)?;
                    self.out.write_all(&escape_json(line.as_bytes()))?;
                    writeln!(self.out)?;
                    self.out.flush()
                }
                None => Ok(()),
            },
        }
    }

    /// Says that a message or a command was not taken, and remembers that.
    pub(super) fn refuse(&mut self, memory: &mut WriterMemory, why: &str) -> io::Result<()> {
        self.tell(memory, &News::Refused(why.to_owned()))
    }

    /// Asks whether a tool may be used; the answer is the next line.
    pub(super) fn ask(&mut self, question: &ToolQuestion, code: &str) {
        let tool = text::one_line(&question.tool);
        self.say(&format!("[?] May {tool} do this?"));
        for line in text::neutral(&question.text).lines() {
            self.say(&format!("    {line}"));
        }
        self.prompt(&format!("type {code} to allow, n to deny: "));
    }

    /// Shows that a message can be typed.
    pub(super) fn prompt(&mut self, words: &str) {
        let _ = write!(self.err, "{words}").and_then(|()| self.err.flush());
    }

    /// Says something to the person. Nobody there is no reason to fail.
    pub(super) fn say(&mut self, words: &str) {
        let _ = writeln!(self.err, "{words}");
    }

    /// How to continue, and what was used, for those who want to know more.
    pub(super) fn end(&mut self, memory: &WriterMemory) {
        if let Some((conversation, true)) = &memory.conversation
            && memory.leaves
            && self.format == DataFormat::Text
        {
            self.say(&words::continue_with(conversation));
        }
        if let Some(meter) = memory
            .meter
            .filter(|_| self.verbose && self.format == DataFormat::Text)
        {
            self.faint(&words::meter(&meter).join(" · "));
        }
    }

    fn tell_people(&mut self, memory: &mut WriterMemory, news: &News) -> io::Result<()> {
        if let News::Text(piece) = news {
            // In a pipe, pieces that may be taken back are nobody's answer.
            if self.screen.stdout_is_terminal && !memory.is_earlier {
                write!(self.out, "{}", text::neutral(piece))?;
                self.out.flush()?;
                memory.streamed.push_str(piece);
            }
            return Ok(());
        }
        let was_streamed = match news {
            News::Answered { turn, .. } => memory.streamed.trim().ends_with(turn.text.trim()),
            _ => false,
        };
        if !matches!(news, News::Meter(_) | News::Settled { .. }) && !memory.streamed.is_empty() {
            let streamed = std::mem::take(&mut memory.streamed);
            if !streamed.ends_with('\n') {
                writeln!(self.out)?;
            }
        }
        match news {
            News::Answered { turn, .. } if memory.is_earlier => {
                self.note("•", &format!("to your earlier message: {}", turn.text.trim_end()));
            }
            News::Answered {
                turn,
                usage,
                duration_ms,
            } => {
                if !was_streamed {
                    writeln!(self.out, "{}", text::neutral(turn.text.trim_end()))?;
                }
                self.out.flush()?;
                if self.verbose {
                    self.faint(&words::answer_footer(*duration_ms, usage.as_ref()));
                }
            }
            News::Opened(chapter) if self.verbose || self.screen.stdin_is_terminal => {
                let n_turns = usize::try_from(chapter.n_turns).unwrap_or(usize::MAX);
                let parts = [
                    chapter.name.as_str(),
                    &chapter.speaker,
                    &numbers::count(n_turns, "turn"),
                ];
                self.note("•", &parts.join(" · "));
            }
            News::Speaker(name) => self.note("•", &format!("{name} answers from now on")),
            News::Asked { run, .. } if self.verbose => self.note("•", &format!("run {run}")),
            News::Tool(tool) if self.verbose || tool.state != ToolState::Running => {
                let words = text::one_line(&tool.text);
                let (mark, end) = (words::tool_mark(tool.state), words::tool_end(tool.state));
                self.faint(&format!("  {mark} {words}{end}"));
            }
            News::Failed {
                failure,
                offers_clear,
            } => {
                let paint = self.screen.on_stderr();
                self.say(&format!(
                    "{} {}",
                    paint.bad("error:"),
                    text::neutral(&failure.message)
                ));
                for hint in words::hints(failure, memory.run.as_ref(), *offers_clear) {
                    self.say(&format!("  {} {}", paint.strong("hint:"), text::neutral(&hint)));
                }
            }
            News::StartedOver => self.note("!", "trying again"),
            News::Stopped => self.note("•", "stopped; your message stays"),
            News::Undone { .. } => self.note("•", "your last message is removed; pinned text stays"),
            News::Notice(words) => self.note("•", words),
            News::Warning(words) | News::Refused(words) => self.note("!", words),
            News::Listed(rows) => self.say(&words::conversation_lines(rows)),
            // The rest is for those who look, or was said before.
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self, mark: &str, words: &str) {
        self.say(&format!("[{mark}] {}", text::one_line(words)));
    }

    fn faint(&mut self, words: &str) {
        let words = self.screen.on_stderr().faint(words);
        self.say(&words);
    }
}
