//! One turn of a chat: sends a message, follows its run, and settles the result.

use futures_util::StreamExt;
use gemicro_core::command::AgentCommand;
use gemicro_core::history::{Author, Transport, TransportSwitched, Turn, TurnAsked};
use gemicro_engine::{RunSighting, RunSightings};
use gemicro_event::{ErrorKind, Failure, Json, StreamId, Timestamp};

use super::book::fact;
use super::chat_loop::{Chat, Next};
use super::news::News;
use super::order::Order;
use super::turn::{Message, SendMode, is_spent, plan};
use super::watch::{End, TurnProgress, failed_end};

/// A turn that was sent.
pub(super) struct SentTurn {
    pub(super) turn: u64,
    pub(super) run: StreamId,
    pub(super) transport: Transport,
    pub(super) at: Timestamp,
}

/// The kind of attempt at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Try {
    First,
    /// A retry with a shorter prompt.
    Second,
    /// Sent by an earlier chat.
    Earlier,
}

impl Chat {
    /// Sends a message and waits for the answer.
    pub(super) async fn say(&mut self, text: &str) -> Next {
        if text.trim().is_empty() {
            self.refuse("an empty message is not sent").await;
            return Next::GoOn;
        }
        if is_spent(&self.config.limits, self.spoken_for()) {
            let message = "the budget of this chat is used up: nothing was sent";
            let failure = Failure::new(ErrorKind::BudgetExceeded, message);
            let offers_clear = false;
            self.tell(News::Failed {
                failure,
                offers_clear,
            })
            .await;
            return Next::GoOn;
        }
        let turn = self.config.conversations.clean(&Turn::new(Author::User, text));
        let rendered = match self.book.prompt_for(&turn.text) {
            Ok(prompt) => prompt,
            Err(refusal) => {
                self.refuse(&refusal.0).await;
                return Next::GoOn;
            }
        };
        let mut facts: Vec<_> = self.book.compaction().into_iter().collect();
        if !facts.is_empty() {
            self.why_rendered = "the conversation was compacted";
            self.tell_compacted().await;
        }
        self.warn().await;
        let message = Message {
            text: &turn.text,
            rendered: &rendered.prompt,
            leaves_out: rendered.was_compressed,
            n_before: self.book.log().len(),
        };
        let way = SendMode::choose(&self.book.held, &self.speaker, message.n_before);
        let id = self.book.holding.id().clone();
        let plan = match plan(
            &self.config,
            &self.speaker,
            &id,
            &message,
            &way,
            self.spoken_for(),
        ) {
            Ok(plan) => plan,
            Err(failure) => {
                // A compaction stays, even if the message is not sent.
                if !self.book.holding.is_fresh()
                    && let Err(error) = self.book.write(facts).await
                {
                    return self.stop_writing(error).await;
                }
                self.refuse(&failure.message).await;
                return Next::GoOn;
            }
        };
        for notice in plan.notices() {
            self.tell(News::Notice(notice)).await;
        }
        let (turn, added) = self.book.add(turn.clone());
        facts.push(added);
        let sent = self.note_sent(turn.number, way.transport(), &mut facts);
        if let Err(error) = self.book.write(facts).await {
            return self.stop_writing(error).await;
        }
        self.tell_sent(turn, &sent).await;
        let started = self.config.desk.start_as(sent.run.clone(), plan).await;
        let (next, end) = self.follow(&sent, started, Try::First).await;
        self.settle(sent, end, next, Try::First).await
    }

    /// Continues a turn that an earlier chat sent.
    pub(super) async fn take_up(&mut self) -> Next {
        self.take_up_summaries().await;
        let next = match self.book.held.open.clone() {
            Some(open) => self.take_up_turn(open).await,
            None => Next::GoOn,
        };
        self.tell(News::Ready).await;
        next
    }

    async fn take_up_turn(&mut self, open: TurnAsked) -> Next {
        let sent = SentTurn {
            turn: open.turn,
            run: open.run,
            transport: open.transport,
            at: Timestamp::now(),
        };
        if let Some(turn) = self.book.log().turn(sent.turn).cloned() {
            self.tell_sent(turn, &sent).await;
        }
        if !self.config.survives {
            // It is not resumed, but its result so far counts.
            let _ = self
                .config
                .desk
                .cancel(&sent.run, "the chat that asked has ended")
                .await;
        }
        let watching = match self.config.desk.watch(&sent.run).await {
            Err(failure) if failure.kind == ErrorKind::NotFound => {
                let message = "the previous chat ended before your message was sent. Send it again";
                Err(Failure::new(ErrorKind::Interrupted, message))
            }
            watching => watching,
        };
        let (next, end) = self.follow(&sent, watching, Try::Earlier).await;
        self.settle(sent, end, next, Try::Earlier).await
    }

    /// Records how a turn ended. One that took too long is retried once with a shorter prompt.
    async fn settle(&mut self, sent: SentTurn, end: End, next: Next, which: Try) -> Next {
        let is_late = |failure: &Failure| matches!(failure.kind, ErrorKind::Timeout | ErrorKind::IdleTimeout);
        let after = match end {
            End::Answered(answer) => self.store_answer(&sent, answer).await,
            End::Stopped => {
                let failure = Failure::new(ErrorKind::Cancelled, "stopped");
                let before = self.book.held.spent;
                let written = self.store_failure(&sent, &failure).await;
                self.tell(News::Stopped).await;
                self.report_used(before).await;
                written
            }
            End::Failed {
                failure,
                may_have_changed,
            } if is_late(&failure) && which == Try::First && !may_have_changed && next == Next::GoOn => {
                match self.store_failure(&sent, &failure).await {
                    Next::GoOn => return self.shorter(&sent, &failure).await,
                    Next::Quit => Next::Quit,
                }
            }
            End::Failed { failure, .. } if which == Try::Earlier => {
                let written = self.store_failure(&sent, &failure).await;
                let text = format!("the last message has no answer: {}", failure.message);
                self.tell(News::Warning(text)).await;
                self.tell(News::Stopped).await;
                written
            }
            End::Failed { failure, .. } => {
                let written = self.store_failure(&sent, &failure).await;
                let offers_clear = is_late(&failure);
                self.tell(News::Failed {
                    failure,
                    offers_clear,
                })
                .await;
                written
            }
        };
        self.meter().await;
        if next == Next::Quit || after == Next::Quit {
            return Next::Quit;
        }
        self.want_summaries().await;
        Next::GoOn
    }

    /// Sends the same turn again, with a prompt of at most half the size.
    async fn shorter(&mut self, first: &SentTurn, failure: &Failure) -> Next {
        let text = format!("{}: trying once more with a shorter prompt", failure.message);
        self.tell(News::Warning(text)).await;
        self.tell(News::StartedOver).await;
        let harder = self.book.history.compress_harder();
        let rendered = match harder.and_then(|()| self.book.history.prompt()) {
            Ok(prompt) => prompt,
            Err(error) => {
                let text = format!("the prompt cannot be shorter: {error}");
                self.tell(News::Warning(text)).await;
                let (failure, offers_clear) = (failure.clone(), true);
                self.tell(News::Failed {
                    failure,
                    offers_clear,
                })
                .await;
                return Next::GoOn;
            }
        };
        let mut facts: Vec<_> = self.book.compaction().into_iter().collect();
        self.why_rendered = "the answer took too long";
        let text = self.book.log().turn(first.turn).map(|turn| turn.text.clone());
        let text = text.unwrap_or_default();
        let message = Message {
            text: &text,
            rendered: &rendered.prompt,
            leaves_out: rendered.was_compressed,
            n_before: first.turn.saturating_sub(1),
        };
        let way = if message.n_before == 0 {
            SendMode::Start
        } else {
            SendMode::Rendered
        };
        let id = self.book.holding.id().clone();
        let plan = plan(
            &self.config,
            &self.speaker,
            &id,
            &message,
            &way,
            self.spoken_for(),
        );
        let sent = self.note_sent(first.turn, way.transport(), &mut facts);
        if let Err(error) = self.book.write(facts).await {
            return self.stop_writing(error).await;
        }
        let started = match plan {
            Ok(plan) => self.config.desk.start_as(sent.run.clone(), plan).await,
            Err(failure) => Err(failure),
        };
        let (next, end) = self.follow(&sent, started, Try::Second).await;
        Box::pin(self.settle(sent, end, next, Try::Second)).await
    }

    /// Adds the events for a turn that is sent now.
    fn note_sent(
        &mut self,
        turn: u64,
        transport: Transport,
        facts: &mut Vec<gemicro_event::AgentUpdate>,
    ) -> SentTurn {
        let asked = TurnAsked {
            turn,
            run: StreamId::random(),
            speaker: self.speaker.clone(),
            transport,
        };
        if let Some(from) = self.last_transport().filter(|from| *from != transport) {
            let reason = match transport {
                Transport::Rendered => self.why_rendered,
                Transport::Native if turn == 1 => "the conversation begins",
                Transport::Native => "the session remembers",
            };
            facts.push(fact(&TransportSwitched {
                turn,
                from,
                to: transport,
                reason: reason.to_owned(),
            }));
        }
        facts.push(fact(&asked));
        let run = asked.run.clone();
        self.book.held.apply_asked(asked);
        SentTurn {
            turn,
            run,
            transport,
            at: Timestamp::now(),
        }
    }

    async fn tell_sent(&mut self, turn: Turn, sent: &SentTurn) {
        self.tell(News::Asked {
            turn,
            run: sent.run.clone(),
            transport: sent.transport,
        })
        .await;
    }

    /// Shows a run until it ends; meanwhile accepts the orders that apply.
    async fn follow(
        &mut self,
        sent: &SentTurn,
        watching: Result<RunSightings, Failure>,
        which: Try,
    ) -> (Next, End) {
        let mut watching = match watching {
            Ok(watching) => watching,
            Err(failure) => return (Next::GoOn, failed_end(failure.kind, &failure.message)),
        };
        let mut seen = TurnProgress::new(self.config.conversations.redactor().clone());
        let mut next = Next::GoOn;
        let mut is_open = true;
        loop {
            tokio::select! {
                item = watching.items.next() => {
                    let news = match item {
                        Some(Ok(RunSighting::Event(event))) => seen.event(&event),
                        Some(Ok(RunSighting::Live(item))) => seen.live(&item),
                        Some(Err(failure)) => return (next, failed_end(failure.kind, &failure.message)),
                        None => {
                            let lost = || failed_end(ErrorKind::Interrupted, "the run stopped without a result");
                            return (next, seen.end().cloned().unwrap_or_else(lost));
                        }
                    };
                    for item in news {
                        self.tell(item).await;
                    }
                }
                order = self.orders.recv(), if is_open => {
                    is_open = order.is_some();
                    // The user could not know that an earlier turn is being settled.
                    if let (Try::Earlier, Some(order @ Order::Say(_))) = (which, &order) {
                        self.later.push_back(order.clone());
                        continue;
                    }
                    if self.handle_order_meanwhile(order.unwrap_or(Order::Quit), sent, &seen).await == Next::Quit {
                        next = Next::Quit;
                    }
                }
                _ = self.renewal.tick() => {
                    if self.renew().await == Next::Quit {
                        let message = "this conversation was opened in another chat";
                        return (Next::Quit, failed_end(ErrorKind::Conflict, message));
                    }
                }
            }
        }
    }

    async fn handle_order_meanwhile(&mut self, order: Order, sent: &SentTurn, seen: &TurnProgress) -> Next {
        let is_quit = order == Order::Quit;
        match order {
            Order::Stop | Order::Quit => {
                let desk = self.config.desk.clone();
                let run = sent.run.clone();
                // The loop sees its end like any other.
                tokio::spawn(async move { desk.cancel(&run, "stopped by the user").await });
            }
            Order::Answer { key, allow } if seen.asks(&key) => {
                let answer = Json::from(serde_json::Value::Bool(allow));
                let command = AgentCommand::answer(&key, &answer);
                if let Err(failure) = self.config.desk.send(&sent.run, command).await {
                    self.refuse(&failure.message).await;
                }
            }
            Order::Answer { .. } => self.refuse("that question is no longer open").await,
            _ => {
                self.refuse("an answer is pending: stop it first, or wait for it")
                    .await
            }
        }
        if is_quit { Next::Quit } else { Next::GoOn }
    }
}
