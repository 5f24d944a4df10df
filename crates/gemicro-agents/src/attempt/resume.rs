//! Resumes a conversation: in a warm process, from the files of the CLI, or in a new session that gets the earlier
//! turns.

use std::path::Path;

use gemicro_core::ask::AgentName;
use gemicro_event::text;
use gemicro_event::{ErrorKind, Failure};
use gemicro_runner::{AgentPrompt, Session, SessionId};

use super::AgentAttempt;
use crate::conversation_home::{ConversationHome, belongs, name_of};
use crate::memory::retell;
use crate::turn_result::TurnResult;

impl AgentAttempt<'_> {
    /// Runs a turn of an existing conversation.
    pub(super) async fn resume_session(&mut self, session: &str) -> Result<TurnResult, Failure> {
        let (session, name) = match find(self.state(), self.task.agent, session) {
            Ok(found) => found,
            Err(lost) if self.task.begins_anew && lost.kind == ErrorKind::SessionNotFound => {
                self.say_it_is_new(session);
                return self.begin().await;
            }
            Err(lost) => return Err(lost),
        };
        // Before a process is taken: a refused task must not end a process that others use.
        belongs(self.state(), &name, self.task, &session)?;
        if let Some(pool) = self.shared.commons.pool()
            && let Some(kept) = pool.take(&name).await
        {
            if Some(&kept.key) == self.key.as_ref() {
                if let Some(turned) = self.warm(kept).await? {
                    return Ok(turned);
                }
            } else {
                kept.close().await;
            }
        }
        let place = ConversationHome::of_session(self.state(), &self.name, self.task.agent, &session)?;
        let about = place.about().cloned();
        let own = match &about {
            Some(about) => about.session.parse()?,
            None => session.clone(),
        };
        let prompt = AgentPrompt::user(self.task.prompt.clone());
        let turned = self.cold(place, Session::Resume(own), prompt).await?;
        let is_lost = turned
            .outcome
            .result
            .as_ref()
            .is_err_and(|failure| failure.kind == ErrorKind::SessionNotFound);
        if !is_lost {
            return Ok(turned);
        }
        let turns = about.map(|about| about.turns).unwrap_or_default();
        let Some((prompt, description)) = retell(self.shared.journal.as_ref(), self.task, &turns).await
        else {
            if !self.task.begins_anew {
                return Ok(turned);
            }
            self.say_it_is_new(session.as_str());
            let prompt = AgentPrompt::user(self.task.prompt.clone());
            return self.cold(turned.place.again(), Session::New, prompt).await;
        };
        let lost = format!("{} no longer has session {session}", self.task.agent);
        self.seen
            .reporter
            .alarm(format!("{lost}; started a new one with {description}"));
        self.retold = true;
        self.cold(turned.place.again(), Session::New, prompt).await
    }

    fn say_it_is_new(&self, session: &str) {
        let shown = text::plain(session, 80);
        let agent = self.task.agent;
        let message = format!("{agent} has no session {shown}; starting a new one without its history");
        self.seen.reporter.alarm(message);
    }
}

/// A session and the name of its home folder.
///
/// # Errors
/// `session_not_found` if it does not exist, or its id is not valid.
fn find(state: &Path, agent: AgentName, session: &str) -> Result<(SessionId, String), Failure> {
    let session: SessionId = session.parse().map_err(|failure: Failure| Failure {
        kind: ErrorKind::SessionNotFound,
        ..failure
    })?;
    let name = name_of(state, agent, &session)?;
    Ok((session, name))
}
