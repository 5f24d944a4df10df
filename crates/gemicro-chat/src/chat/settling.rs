//! Records the result of a turn: an answer, or the reason why there is none.

use gemicro_core::history::{
    Author, HistoryWarning, ReplyCut, Speaker, Transport, TransportSwitched, Turn, TurnAnswered, TurnFailed,
    cut_invented,
};
use gemicro_core::llm::GEMINI;
use gemicro_event::{Charge, ErrorKind, Failure, StreamId, Timestamp};

use super::book::fact;
use super::chat_loop::{Chat, Next};
use super::news::News;
use super::saying::SentTurn;
use super::watch::Answer;

impl Chat {
    /// Stores an answer as a turn, without invented parts.
    pub(super) async fn store_answer(&mut self, sent: &SentTurn, answer: Answer) -> Next {
        let charge = self.charge(&sent.run).await;
        let tag = self.book.history.plan().map(|plan| plan.tag.clone());
        let cut = tag.as_ref().map(|tag| cut_invented(&answer.text, tag));
        let (text, invented) = match cut {
            Some(cut) => (cut.kept.to_owned(), cut.invented),
            None => (answer.text, None),
        };
        if text.trim().is_empty() {
            let message = "the reply contained only invented turns of other speakers";
            let failure = Failure::new(ErrorKind::MalformedOutput, message);
            let written = self.failed_for(sent, &failure, charge).await;
            let offers_clear = false;
            self.tell(News::Failed {
                failure,
                offers_clear,
            })
            .await;
            return written;
        }
        let turn = Turn {
            usage: answer.usage,
            ..Turn::new(Author::Assistant, text)
        };
        let turn = self.config.conversations.clean(&turn);
        let (turn, added) = self.book.add(turn);
        let mut facts = vec![added];
        if let Some(invented) = &invented {
            facts.push(fact(&ReplyCut {
                turn: turn.number,
                sign: invented.sign,
                bytes: invented.bytes as u64,
            }));
        }
        if answer.retold && sent.transport == Transport::Native {
            facts.push(fact(&TransportSwitched {
                turn: sent.turn,
                from: Transport::Native,
                to: Transport::Rendered,
                reason: "the session was gone".to_owned(),
            }));
        }
        let done = TurnAnswered {
            turn: sent.turn,
            run: sent.run.clone(),
            // A session would remember the part that was cut.
            session: answer
                .session
                .filter(|_| invented.is_none() && remembers(&self.speaker)),
            charge,
            cached_tokens: answer.usage.map_or(0, |usage| usage.cached_tokens),
        };
        facts.push(fact(&done));
        if let Err(error) = self.book.write(facts).await {
            return self.stop_writing(error).await;
        }
        self.why_rendered = "no model has the conversation";
        let up_to = self.book.log().len();
        self.book.held.apply_answered(done, up_to);
        let duration = Timestamp::now().since(sent.at);
        self.tell(News::Answered {
            turn,
            usage: answer.usage,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        })
        .await;
        if invented.is_some() {
            let text = "the model also wrote turns for other speakers; that part was removed";
            self.tell(News::Warning(text.to_owned())).await;
        }
        Next::GoOn
    }

    pub(super) async fn store_failure(&mut self, sent: &SentTurn, failure: &Failure) -> Next {
        let charge = self.charge(&sent.run).await;
        self.failed_for(sent, failure, charge).await
    }

    async fn failed_for(&mut self, sent: &SentTurn, failure: &Failure, charge: Charge) -> Next {
        let failed = TurnFailed {
            turn: sent.turn,
            run: sent.run.clone(),
            error: failure.clone(),
            charge,
        };
        self.why_rendered = "the turn before has no answer";
        if let Err(error) = self.book.write(vec![fact(&failed)]).await {
            return self.stop_writing(error).await;
        }
        self.book.held.apply_failed(&failed);
        Next::GoOn
    }

    /// Reports what a stopped turn used.
    pub(super) async fn report_used(&mut self, before: Charge) {
        if let Some(used) = self.book.held.spent.minus(before).in_words() {
            self.tell(News::Notice(format!("it used {used}"))).await;
        }
    }

    /// Tells the user about a compaction.
    pub(super) async fn tell_compacted(&mut self) {
        let Some(report) = self.book.history.report() else {
            return;
        };
        let user = report.statements.user;
        let lost = match (report.lost.len(), user.left_out) {
            (0, 0) => "every exact fact is still in it".to_owned(),
            (n_lost, _) => format!(
                "{n_lost} exact facts are not (gemicro conversations render {} --report FILE names what is left out)",
                self.book.holding.id()
            ),
        };
        let text = format!(
            "old turns were shortened: the prompt has {} tokens and {} of {} of your sentences; {lost}",
            report.tokens_after,
            user.total - user.left_out,
            user.total
        );
        self.tell(News::Notice(text)).await;
    }

    async fn charge(&self, run: &StreamId) -> Charge {
        let row = self.config.desk.find(run.as_str()).await;
        row.map(|row| row.spent).unwrap_or(Charge::ZERO)
    }

    /// Sends the warnings about the prompt.
    pub(super) async fn warn(&mut self) {
        let warnings = self.book.history.warnings().to_vec();
        for warning in warnings {
            let text = match warning {
                HistoryWarning::LongConversation { tokens } if !self.warned_of_length => {
                    self.warned_of_length = true;
                    format!("this conversation is long (about {tokens} tokens): /clear begins a new one")
                }
                HistoryWarning::NoSummary { first, last } if self.config.summariser.is_none() => {
                    format!("turns {first} to {last} are shortened to the sentences that fit into the prompt")
                }
                HistoryWarning::SummaryRefused { first, last, refusal } => {
                    format!("turns {first} to {last} were cut short: {refusal}")
                }
                HistoryWarning::DecisionsLost { count } => {
                    format!("{count} rules or decisions no longer fit into the prompt")
                }
                _ => continue,
            };
            self.tell(News::Warning(text)).await;
        }
    }
}

/// Whether a speaker can continue from its answer; a model of an OpenAI-compatible server cannot.
fn remembers(speaker: &Speaker) -> bool {
    match speaker {
        Speaker::Agent { .. } => true,
        Speaker::Model { backend, .. } => backend == GEMINI,
    }
}
