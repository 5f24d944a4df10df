//! Boards of runs: what is shown of each of their parts.
//!
//! The main type is [`Board`]. What a state means, and what is shown of a line, is known to its flow alone.

use gemicro_core::store::{BoardLine, StoreError};
use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};

use crate::DurableStore;
use crate::columns::Columns;
use crate::read::lock_head;
use crate::sql::{Batch, query};
use crate::writer::{BOARD, Scope};

/// The board of a run. Its lines are kept as the text that they are: a look at many costs no more than their letters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Board {
    /// What is shown of each line, by place: a JSON array; empty where there is none.
    pub shown: String,
    /// How many lines are in which state, by its name.
    pub tallies: Vec<Tally>,
}

/// The lines of a board that are in one state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The state.
    pub state: String,
    /// How many they are.
    pub n_lines: u64,
    /// How many of them were written after the first event of the run.
    pub n_later: u64,
}

impl DurableStore {
    /// The board of a run. Every line is as new as the journal was at this moment.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn board(&self, run: &StreamId) -> Result<Board, StoreError> {
        let head = self.head(run).await?;
        let db = &self.inner.db;
        // The key has the lines in order. An order named inside `string_agg` would sort them once more each.
        let lines = query(
            "SELECT string_agg(shown, ',') AS shown, \
             string_agg(CASE WHEN seq > 1 THEN state ELSE '=' || state END, ',') AS states \
             FROM (SELECT shown, state, seq FROM board WHERE stream_no = $1 ORDER BY place) AS lines",
        );
        let row = lines.bind(head.no).fetch_one(&self.inner.readers).await;
        let row = row.map_err(|error| db.error(error))?;
        let columns = Columns::new(&row, db);
        let Some(shown) = columns.get::<Option<String>>("shown")? else {
            return Ok(Board::default());
        };
        Ok(Board {
            shown: format!("[{shown}]"),
            tallies: tallies(&columns.get::<String>("states")?),
        })
    }

    /// Writes a whole board again, from a fold of the run's journal.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn rewrite_board(&self, run: &StreamId, lines: Vec<BoardLine>) -> Result<(), StoreError> {
        let (db, run) = (self.inner.db.clone(), run.clone());
        self.transact(Scope::Beside, move |link| {
            Box::pin(async move {
                let fail = |error| db.error(error);
                let head = lock_head(link, &db, &run).await?;
                head.check_not_erased(&run)?;
                query("DELETE FROM board WHERE stream_no = $1")
                    .bind(head.no)
                    .execute(&mut *link)
                    .await
                    .map_err(fail)?;
                let mut batch = Batch::default();
                batch.rows(&BOARD, &lines, |line, values| {
                    values
                        .value(head.no)
                        .value(line.place)
                        .value(head.last_seq)
                        .value(line.state.as_str())
                        .value(line.shown.text());
                });
                batch.run(link).await.map_err(fail)
            })
        })
        .await
    }
}

/// Counts states as [`DurableStore::board`] asks for them: a mark before the state of a line of the first event, commas
/// between lines.
fn tallies(states: &str) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for line in states.split(',') {
        let (state, is_first) = line
            .strip_prefix('=')
            .map_or((line, false), |state| (state, true));
        let n_later = u64::from(!is_first);
        match tallies.iter_mut().find(|tally| tally.state == state) {
            Some(tally) => {
                tally.n_lines += 1;
                tally.n_later += n_later;
            }
            None => tallies.push(Tally {
                state: state.to_owned(),
                n_lines: 1,
                n_later,
            }),
        }
    }
    tallies.sort_by(|a, b| a.state.cmp(&b.state));
    tallies
}
