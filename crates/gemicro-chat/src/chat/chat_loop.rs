//! The loop of a chat: takes orders and sends news.

use std::collections::VecDeque;

use gemicro_core::history::{Author, Speaker, Transport, Turn, TurnKind, write_transcript};
use gemicro_event::text;
use gemicro_event::{ErrorKind, Failure};
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::book::Book;
use super::config::{ChatConfig, Opening};
use super::news::{Chapter, Meter, News};
use super::order::Order;
use super::summaries::SummaryTasks;
use crate::ConversationError;
use crate::conversations::{HeldConversation, RENEW};

/// Maximum number of waiting orders.
const ORDERS: usize = 64;
/// Maximum number of waiting news; a slow reader slows down only this chat.
const NEWS: usize = 1024;
/// Maximum number of turns shown when a conversation is opened.
const SHOWN_TURNS: usize = 200;
/// Maximum number of conversations in a list.
const LISTED: usize = 20;

/// An open chat.
pub struct ChatLine {
    /// Sends orders to the chat. Dropping it ends the chat.
    pub orders: mpsc::Sender<Order>,
    /// Receives the news of the chat.
    pub news: mpsc::Receiver<News>,
}

/// Opens a conversation and runs its chat until [`Order::Quit`].
///
/// # Errors
/// When the conversation does not exist, another chat has it open, a newer program wrote it, or the store fails.
pub async fn open_chat(config: ChatConfig, opening: Opening) -> Result<ChatLine, Failure> {
    let book = open(&config, &opening).await?;
    let (orders, taken) = mpsc::channel(ORDERS);
    let (sender, news) = mpsc::channel(NEWS);
    let speaker = speaker(&config, &book);
    let chat = Chat {
        summaries: SummaryTasks::default(),
        later: VecDeque::new(),
        warned_of_length: false,
        why_rendered: "no model has the conversation",
        config,
        book,
        speaker,
        orders: taken,
        news: sender,
        renewal: every_renewal(),
    };
    tokio::spawn(chat.hold());
    Ok(ChatLine { orders, news })
}

pub(super) struct Chat {
    pub(super) config: ChatConfig,
    pub(super) book: Book,
    pub(super) speaker: Speaker,
    pub(super) orders: mpsc::Receiver<Order>,
    news: mpsc::Sender<News>,
    pub(super) renewal: Interval,
    pub(super) summaries: SummaryTasks,
    /// Messages sent while an earlier turn was being settled.
    pub(super) later: VecDeque<Order>,
    /// Whether the user was warned that the conversation is long.
    pub(super) warned_of_length: bool,
    /// Why the next prompt contains the whole conversation, if it does.
    pub(super) why_rendered: &'static str,
}

/// Whether the chat continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    GoOn,
    Quit,
}

impl Chat {
    async fn hold(mut self) {
        self.tell_opened().await;
        let mut next = self.take_up().await;
        while next == Next::GoOn {
            if let Some(order) = self.later.pop_front() {
                next = self.handle_order(order).await;
                continue;
            }
            next = tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => self.handle_order(order).await,
                    None => Next::Quit,
                },
                _ = self.renewal.tick() => self.renew().await,
                written = self.summaries.next_outcome() => self.take_summary(written).await,
            };
        }
        self.book.holding.release().await;
        self.tell(News::Closed).await;
    }

    async fn handle_order(&mut self, order: Order) -> Next {
        match order {
            Order::Say(text) => return self.say(&text).await,
            Order::Quit => return Next::Quit,
            Order::Stop | Order::Answer { .. } => {
                self.refuse("no answer is pending").await;
            }
            Order::Model(None) => {
                let speaker = format!(
                    "{} answers; /model takes an agent (gemini, claude, codex) or a model",
                    self.speaker
                );
                self.tell(News::Notice(speaker)).await;
            }
            Order::Model(Some(name)) => match (self.config.find_speaker)(&name) {
                Ok(speaker) => {
                    self.speaker = speaker;
                    self.why_rendered = "another one answers";
                    self.tell(News::Speaker(self.speaker.to_string())).await;
                }
                Err(failure) => self.refuse(&failure.message).await,
            },
            Order::Compact => return self.compact().await,
            Order::Pin(text) => return self.pin(text).await,
            Order::Undo => return self.undo().await,
            Order::Clear => {
                let holding = HeldConversation::fresh(&self.config.conversations, &self.config.owner);
                let book = Book::fresh(holding, self.config.history.clone());
                self.turn_to(book).await;
            }
            Order::Open(id) => match open(&self.config, &opening(id)).await {
                Ok(book) => {
                    let last = book.held.speaker.clone();
                    self.speaker = last.unwrap_or_else(|| self.speaker.clone());
                    self.turn_to(book).await;
                    return self.take_up().await;
                }
                Err(failure) => self.refuse(&failure.message).await,
            },
            Order::Export(file) => {
                let text = write_transcript(self.book.log()).map_err(std::io::Error::from);
                match text.and_then(|text| write_new(&file, &text)) {
                    Ok(()) => {
                        self.tell(News::Notice(format!("written to {}", file.display())))
                            .await
                    }
                    Err(error) => self.refuse(&format!("{}: {error}", file.display())).await,
                }
            }
            Order::Sessions => match self.config.conversations.list(LISTED).await {
                Ok(rows) => self.tell(News::Listed(rows)).await,
                Err(error) => self.refuse(&error.to_string()).await,
            },
            Order::Cost => {
                let spent = self.book.held.spent;
                let text = format!(
                    "used so far: {} ({} tokens cached), model calls: {}",
                    spent.in_words().unwrap_or_else(|| "0 tokens".to_owned()),
                    self.book.held.cached_tokens,
                    spent.turns
                );
                self.tell(News::Notice(text)).await;
            }
        }
        Next::GoOn
    }

    /// Compresses the prompt now.
    async fn compact(&mut self) -> Next {
        if self.book.log().is_empty() {
            self.refuse("nothing has been said yet").await;
            return Next::GoOn;
        }
        if let Err(error) = self.book.history.compress_harder() {
            self.refuse(&error.to_string()).await;
            return Next::GoOn;
        }
        // Render once, so that the report describes the prompt that will be sent.
        let prompt = self.book.history.prompt().map(|_| ());
        if let Err(error) = prompt {
            self.refuse(&error.to_string()).await;
            return Next::GoOn;
        }
        self.why_rendered = "the conversation was compacted";
        let fact = self.book.compaction();
        if let Err(error) = self.book.write(fact.into_iter().collect()).await {
            return self.stop_writing(error).await;
        }
        if self.book.history.plan().is_some_and(|plan| plan.compresses()) {
            self.tell_compacted().await;
        } else {
            let text = "there is nothing to shorten yet";
            self.tell(News::Notice(text.to_owned())).await;
        }
        self.meter().await;
        self.want_summaries().await;
        Next::GoOn
    }

    /// Keeps a sentence in every prompt.
    async fn pin(&mut self, text: Option<String>) -> Next {
        let last = |book: &Book| {
            let number = book.log().last_user()?;
            book.log().turn(number).map(|turn| turn.text.clone())
        };
        let text = text.or_else(|| last(&self.book)).unwrap_or_default();
        let line = text::one_line(&text);
        if line.is_empty() {
            self.refuse("there is nothing to pin: /pin TEXT").await;
            return Next::GoOn;
        }
        let turn = Turn {
            kind: TurnKind::Pin,
            ..Turn::new(Author::System, line)
        };
        let turn = self.config.conversations.clean(&turn);
        let (turn, added) = self.book.add(turn);
        self.why_rendered = "a sentence was pinned";
        if let Err(error) = self.book.write(vec![added]).await {
            return self.stop_writing(error).await;
        }
        self.tell(News::Notice(format!("pinned: {}", turn.text))).await;
        self.meter().await;
        Next::GoOn
    }

    /// Withdraws the last message, its answer and everything after it.
    async fn undo(&mut self) -> Next {
        let Some(from) = self.book.log().last_user() else {
            self.refuse("there is nothing to take back").await;
            return Next::GoOn;
        };
        self.why_rendered = "turns were taken back";
        let pins = self.book.log().range(from, u64::MAX).iter();
        let pins: Vec<Turn> = pins.filter(|turn| turn.kind == TurnKind::Pin).cloned().collect();
        if let Err(error) = self.book.withdraw(from).await {
            return self.stop_writing(error).await;
        }
        // Keep pinned sentences.
        let facts = pins.into_iter().map(|pin| self.book.add(pin).1).collect();
        if let Err(error) = self.book.write(facts).await {
            return self.stop_writing(error).await;
        }
        self.tell(News::Undone { from }).await;
        self.meter().await;
        Next::GoOn
    }

    async fn turn_to(&mut self, book: Book) {
        self.book.holding.release().await;
        self.summaries = SummaryTasks::default();
        self.book = book;
        self.warned_of_length = false;
        self.why_rendered = "no model has the conversation";
        self.tell_opened().await;
    }

    async fn tell_opened(&mut self) {
        let turns = self.book.log().turns();
        // A turn that is not settled yet is shown when that begins.
        let open = self.book.held.open.as_ref().map(|open| open.turn);
        let n_shown = turns.iter().take_while(|turn| Some(turn.number) != open).count();
        let shown = n_shown.saturating_sub(SHOWN_TURNS);
        let chapter = Chapter {
            id: self.book.holding.id().clone(),
            name: self.book.name.clone(),
            speaker: self.speaker.to_string(),
            turns: turns[shown..n_shown].to_vec(),
            n_turns: turns.len() as u64,
        };
        self.tell(News::Opened(chapter)).await;
        self.meter().await;
    }

    pub(super) async fn meter(&mut self) {
        let history = &self.book.history;
        let is_compressed = history.plan().is_some_and(|plan| plan.compresses());
        let held = &self.book.held;
        let meter = Meter {
            prompt_tokens: history.present_tokens(),
            max_prompt_tokens: history.config().limit(),
            is_compressed,
            n_compactions: history.compaction_count(),
            spent: held.spent,
            cached_tokens: held.cached_tokens,
        };
        self.tell(News::Meter(meter)).await;
    }

    /// Renews the lease of the conversation; without it the chat ends.
    pub(super) async fn renew(&mut self) -> Next {
        match self.book.holding.renew().await {
            Ok(()) => Next::GoOn,
            Err(error) => self.stop_writing(error).await,
        }
    }

    /// Ends the chat because the conversation can no longer be written.
    pub(super) async fn stop_writing(&mut self, error: ConversationError) -> Next {
        self.tell(News::Failed {
            failure: error.into(),
            offers_clear: false,
        })
        .await;
        Next::Quit
    }

    pub(super) async fn refuse(&mut self, why: &str) {
        self.tell(News::Refused(why.to_owned())).await;
    }

    pub(super) async fn tell(&mut self, news: News) {
        // If the receiver is gone, the order channel closes too.
        let _ = self.news.send(news).await;
    }

    /// How the previous turn was sent.
    pub(super) fn last_transport(&self) -> Option<Transport> {
        self.book.held.transport
    }
}

/// Opens the conversation and takes its lease.
async fn open(config: &ChatConfig, opening: &Opening) -> Result<Book, Failure> {
    let conversations = &config.conversations;
    let named = match opening {
        Opening::New => {
            let holding = HeldConversation::fresh(conversations, &config.owner);
            return Ok(Book::fresh(holding, config.history.clone()));
        }
        Opening::Last => {
            let rows = conversations.list(usize::MAX).await?;
            let last = rows.into_iter().filter(|row| row.readable);
            let last = last.max_by_key(|row| row.updated_at);
            last.map(|row| row.id).ok_or_else(|| {
                let message = "there is no conversation yet: begin one with `gemicro chat`";
                Failure::new(ErrorKind::NotFound, message)
            })?
        }
        Opening::Named(id) | Opening::Fork(id) => conversations.find(id).await?,
    };
    if let Opening::Fork(_) = opening {
        let original = conversations.load(&named).await?;
        let name = format!("{} (copy)", original.name);
        let holding =
            HeldConversation::copy(conversations, &config.owner, &name, &named, &original.log).await?;
        let copy = conversations.load(holding.id()).await?;
        let mut book = Book::of(holding, copy, config.history.clone());
        book.held.speaker = original.held.speaker;
        return Ok(book);
    }
    let (holding, conversation) =
        HeldConversation::take(conversations, &named, &config.owner, config.is_gone).await?;
    Ok(Book::of(holding, conversation, config.history.clone()))
}

/// Interprets a name given by a person.
fn opening(named: String) -> Opening {
    if named == "last" {
        Opening::Last
    } else {
        Opening::Named(named)
    }
}

/// The speaker: the one that the user named, the last one, or the default.
fn speaker(config: &ChatConfig, book: &Book) -> Speaker {
    let last = book.held.speaker.clone();
    last.filter(|_| !config.speaker_is_given)
        .unwrap_or_else(|| config.speaker.clone())
}

fn every_renewal() -> Interval {
    let mut renewal = interval(RENEW);
    renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
    renewal
}

/// Writes a new file; fails if it exists.
fn write_new(file: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    options.open(file)?.write_all(text.as_bytes())
}
