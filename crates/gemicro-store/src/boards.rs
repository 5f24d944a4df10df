//! Boards of runs: what is shown of each of their parts.

use gemicro_core::store::{BoardLine, StoreError};
use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};

use crate::DurableStore;
use crate::columns::Columns;
use crate::read::lock_head;
use crate::sql::{Batch, query};
use crate::writer::{BOARD, Scope};

/// The board of a run, as text: a look at many lines costs no more than their letters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Board {
    /// What is shown of each line, by place: a JSON array.
    pub shown: String,
    /// The last event of the transaction that wrote each line, by place: a JSON array of numbers.
    pub seqs: String,
}

impl DurableStore {
    /// The board of a run. Every line is as new as the journal was at this moment.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn board(&self, run: &StreamId) -> Result<Board, StoreError> {
        let head = self.head(run).await?;
        let db = &self.inner.db;
        let lines = query(
            "SELECT string_agg(shown, ',' ORDER BY place) AS shown, \
             string_agg(CAST(seq AS TEXT), ',' ORDER BY place) AS seqs FROM board WHERE stream_no = $1",
        );
        let row = lines.bind(head.no).fetch_one(&self.inner.readers).await;
        let row = row.map_err(|error| db.error(error))?;
        let columns = Columns::new(&row, db);
        let array = |name| -> Result<String, StoreError> {
            let items = columns.get::<Option<String>>(name)?.unwrap_or_default();
            Ok(format!("[{items}]"))
        };
        Ok(Board {
            shown: array("shown")?,
            seqs: array("seqs")?,
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
