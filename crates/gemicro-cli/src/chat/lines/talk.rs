//! Runs a chat in lines: turns input lines into orders, and news into output lines.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::mem;
use std::thread;
use std::time::Duration;

use gemicro_chat::{News, Order, ToolQuestion};
use gemicro_event::StreamId;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::assembler::Assembler;
use super::line_writer::{LineWriter, WriterMemory};
use super::reader::{self, InputLine};
use crate::args::DataFormat;
use crate::chat::ChatChannel;
use crate::chat::channel::broke_off;
use crate::chat::message::{self, CheckedText};
use crate::chat::slash::{self, TypedLine};
use crate::chat::words;
use crate::command_error::{CommandError, STOPPED};
use crate::screen::Screen;

/// Maximum number of lines that are read ahead.
const AHEAD: usize = 16;
/// Maximum time to wait for the news about a command; the chat takes orders in turn anyway.
const REPLY: Duration = Duration::from_secs(10);
const PROMPT: &str = "> ";

/// Settings of a chat in lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineOptions {
    /// How answers are printed; JSON is one object per news.
    pub(crate) format: DataFormat,
    /// Whether to say more on stderr.
    pub(crate) verbose: bool,
}

/// Runs a chat over stdin and stdout until the input ends and its last message is answered.
///
/// # Errors
/// When a message got no answer or was refused (the exit code is that of the last one), when output cannot be written,
/// the chat breaks off, or `stop` (a signal) arrives.
pub(crate) async fn run(
    ends: ChatChannel,
    options: LineOptions,
    screen: &Screen,
    stop: &CancellationToken,
) -> Result<(), CommandError> {
    let (give, lines) = mpsc::channel(AHEAD);
    // On a separate thread: reading a keyboard cannot be cancelled, so nothing must wait for it.
    thread::spawn(move || {
        let input = BufReader::new(io::stdin());
        // A read error counts as the end of the input.
        let _ = reader::read(input, |line| give.blocking_send(line).is_ok());
    });
    let voice = LineWriter {
        out: Box::new(io::stdout()),
        err: Box::new(io::stderr()),
        format: options.format,
        verbose: options.verbose,
        screen: screen.clone(),
    };
    talk(ends, lines, voice, stop, code).await
}

/// Runs a chat over any lines and writers.
pub(super) async fn talk(
    mut ends: ChatChannel,
    mut lines: mpsc::Receiver<InputLine>,
    voice: LineWriter,
    stop: &CancellationToken,
    new_code: fn() -> String,
) -> Result<(), CommandError> {
    let mut talk = Talk {
        has_keyboard: voice.screen.stdin_is_terminal,
        voice,
        memory: WriterMemory::default(),
        assembler: Assembler::default(),
        held: VecDeque::new(),
        outgoing: VecDeque::new(),
        wait: TalkWait::Opening,
        question: None,
        code: String::new(),
        new_code,
        has_ended: false,
    };
    let mut is_stopped = false;
    loop {
        talk.prepare()?;
        let deadline = match &talk.wait {
            TalkWait::Reply(_, deadline) => Some(*deadline),
            TalkWait::Opening | TalkWait::Line { .. } | TalkWait::Answer { .. } | TalkWait::End => None,
        };
        tokio::select! {
            () = stop.cancelled(), if !is_stopped => {
                is_stopped = true;
                talk.quit();
            }
            news = ends.news.recv() => match news {
                Some(News::Closed) => {
                    talk.voice.tell(&mut talk.memory, &News::Closed)?;
                    break;
                }
                Some(news) => talk.news(news, &mut lines)?,
                None if talk.wait == TalkWait::End => break,
                None => return Err(broke_off()),
            },
            line = lines.recv(), if talk.wants_line() => talk.line(line)?,
            permit = ends.orders.reserve(), if !talk.outgoing.is_empty() => {
                // A chat that takes no more orders says why in its news.
                match (permit, talk.outgoing.pop_front()) {
                    (Ok(permit), Some(order)) => permit.send(order),
                    (Err(_), _) | (Ok(_), None) => {}
                }
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => talk.wait_for_line(),
        }
    }
    talk.voice.end(&talk.memory);
    match talk.memory.failed {
        _ if is_stopped => Err(CommandError::AlreadyReported(STOPPED)),
        Some(kind) => Err(CommandError::AlreadyReported(kind.exit_code())),
        None => Ok(()),
    }
}

struct Talk {
    voice: LineWriter,
    memory: WriterMemory,
    assembler: Assembler,
    /// Lines that were typed before a question was asked: they do not answer it.
    held: VecDeque<InputLine>,
    outgoing: VecDeque<Order>,
    wait: TalkWait,
    /// The question that a person was asked.
    question: Option<ToolQuestion>,
    /// The code that allows it, which cannot have been typed before.
    code: String,
    new_code: fn() -> String,
    has_keyboard: bool,
    /// Whether the input has ended.
    has_ended: bool,
}

/// What the loop waits for.
#[derive(Debug, PartialEq, Eq)]
enum TalkWait {
    /// An earlier turn may have to be settled first.
    Opening,
    Line {
        is_prompted: bool,
    },
    Answer {
        is_asked: bool,
    },
    /// A command was given.
    Reply(Order, Instant),
    End,
}

impl Talk {
    /// Does everything that is possible without waiting.
    fn prepare(&mut self) -> Result<(), CommandError> {
        while matches!(self.wait, TalkWait::Line { .. })
            && let Some(line) = self.held.pop_front()
        {
            self.take(line)?;
        }
        if let TalkWait::Line { is_prompted } = &mut self.wait {
            if self.has_ended {
                self.memory.leaves = true;
                self.quit();
            } else if self.has_keyboard && !mem::replace(is_prompted, true) {
                self.voice.prompt(PROMPT);
            }
        }
        Ok(())
    }

    fn wants_line(&self) -> bool {
        !self.has_ended && (self.question.is_some() || matches!(self.wait, TalkWait::Line { .. }))
    }

    fn wait_for_line(&mut self) {
        self.wait = TalkWait::Line { is_prompted: false };
    }

    fn quit(&mut self) {
        self.settle(false);
        self.outgoing.push_back(Order::Quit);
        self.wait = TalkWait::End;
    }

    fn line(&mut self, line: Option<InputLine>) -> Result<(), CommandError> {
        if self.question.is_some() {
            match line {
                None => {
                    self.has_ended = true;
                    self.settle(false);
                }
                Some(InputLine::Words(words)) if words.trim() == self.code => self.settle(true),
                Some(InputLine::Words(words)) if matches!(words.trim(), "" | "n" | "no") => {
                    self.settle(false)
                }
                // Typed before the question was read: it is the next message, not an answer.
                Some(line) => self.held.push_back(line),
            }
            return Ok(());
        }
        match line {
            Some(line) => self.take(line),
            None => {
                self.has_ended = true;
                let last = self.assembler.end();
                last.map_or(Ok(()), |last| self.message(last))
            }
        }
    }

    fn take(&mut self, line: InputLine) -> Result<(), CommandError> {
        let message = self.assembler.line(line);
        message.map_or(Ok(()), |message| self.message(message))
    }

    fn message(&mut self, message: Result<String, String>) -> Result<(), CommandError> {
        self.wait_for_line();
        let words = match message {
            Ok(words) => words,
            Err(why) => return Ok(self.voice.refuse(&mut self.memory, &why)?),
        };
        let (words, notice) = message::clean(&words);
        if let Some(notice) = notice {
            self.voice.tell(&mut self.memory, &News::Warning(notice))?;
        }
        let typed = match message::check(&words) {
            CheckedText::Empty => return Ok(()),
            CheckedText::TooLong(why) => TypedLine::Wrong(why),
            CheckedText::Fine(words) => slash::read(&words),
        };
        match typed {
            TypedLine::Wrong(why) => self.voice.refuse(&mut self.memory, &why)?,
            TypedLine::Help => self.voice.say(&words::help(false)),
            TypedLine::Order(Order::Quit) => {
                self.memory.leaves = true;
                self.quit();
            }
            TypedLine::Order(order @ Order::Say(_)) => {
                self.outgoing.push_back(order);
                self.wait = TalkWait::Answer { is_asked: false };
            }
            TypedLine::Order(order) => {
                self.outgoing.push_back(order.clone());
                self.wait = TalkWait::Reply(order, Instant::now() + REPLY);
            }
        }
        Ok(())
    }

    fn news(&mut self, news: News, lines: &mut mpsc::Receiver<InputLine>) -> Result<(), CommandError> {
        self.memory.is_earlier = self.wait == TalkWait::Opening;
        self.voice.tell(&mut self.memory, &news)?;
        let is_over = match &mut self.wait {
            TalkWait::Answer { is_asked } => match &news {
                News::Asked { .. } => {
                    *is_asked = true;
                    false
                }
                News::Refused(_) => !*is_asked,
                News::Answered { .. } | News::Failed { .. } | News::Stopped => true,
                _ => false,
            },
            TalkWait::Reply(order, _) => is_reply(order, &news),
            TalkWait::Opening => news == News::Ready,
            TalkWait::Line { .. } | TalkWait::End => false,
        };
        if is_over {
            self.question = None;
            self.wait_for_line();
        }
        match news {
            News::Question(question) => self.ask_person(question, lines),
            News::Settled { key } if self.question.as_ref().is_some_and(|it| it.key == key) => {
                self.question = None;
            }
            _ => {}
        }
        Ok(())
    }

    /// Asks the person, or refuses if no one can be asked: no answer never means yes.
    fn ask_person(&mut self, question: ToolQuestion, lines: &mut mpsc::Receiver<InputLine>) {
        self.settle(false);
        if self.has_keyboard && !self.has_ended {
            while let Ok(line) = lines.try_recv() {
                self.held.push_back(line);
            }
            self.code = (self.new_code)();
            self.voice.ask(&question, &self.code);
            self.question = Some(question);
            return;
        }
        if self.voice.format == DataFormat::Text {
            let tool = crate::screen::text::one_line(&question.tool);
            self.voice.say(&format!(
                "[!] {tool} was denied: it needs your approval, and there is no terminal to ask on"
            ));
        }
        self.question = Some(question);
        self.settle(false);
    }

    fn settle(&mut self, allow: bool) {
        if let Some(question) = self.question.take() {
            let key = question.key;
            self.outgoing.push_back(Order::Answer { key, allow });
        }
    }
}

/// Whether this news is the result of a command.
fn is_reply(order: &Order, news: &News) -> bool {
    matches!(
        (order, news),
        (_, News::Refused(_) | News::Failed { .. })
            | (Order::Model(_), News::Speaker(_))
            | (Order::Clear, News::Opened(_))
            | (Order::Open(_), News::Ready)
            | (Order::Undo, News::Undone { .. })
            | (Order::Sessions, News::Listed(_))
            | (Order::Cost | Order::Compact, News::Meter(_))
            | (
                Order::Model(_) | Order::Compact | Order::Pin(_) | Order::Export(_) | Order::Cost,
                News::Notice(_)
            )
    )
}

/// `y` and two letters, which differ each time.
fn code() -> String {
    let letters = StreamId::random();
    let letters: String = letters
        .as_str()
        .chars()
        .filter(char::is_ascii_alphabetic)
        .take(2)
        .collect();
    format!("y{letters}")
}
