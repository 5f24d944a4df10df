//! Boards of runs: one line of display data for each part of a run.
//!
//! The main type is [`StoredBoard`]. Only the flow knows what a state or a line means.

use gemicro_core::store::{BoardLine, StoreError};
use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};

use crate::DurableStore;
use crate::columns::Columns;
use crate::read::lock_head;
use crate::seal::seal_line;
use crate::sql::{Batch, query};
use crate::writer::{BOARD, JobScope, board_values};

/// The board of a run. Its lines stay unparsed JSON, so reading many is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredBoard {
    /// The display data of all lines in order, as a JSON array; empty if there are none.
    pub shown: String,
    /// Number of lines in each state, sorted by state.
    pub tallies: Vec<BoardTally>,
}

/// The number of lines of a board in one state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardTally {
    /// The state.
    pub state: String,
    /// Number of lines.
    pub n_lines: u64,
    /// Number of these lines that were written after the first event of the run.
    pub n_later: u64,
}

/// Separator between the lines of a board. Neither JSON nor a state contains this character.
const BETWEEN: &str = "\u{1e}";

/// The lines of a board to return; counts always cover all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardPage {
    /// Number of lines to skip.
    pub offset: u64,
    /// Maximum number of lines.
    pub limit: u64,
}

impl BoardPage {
    /// Every line, from the first one on.
    pub const ALL: Self = Self {
        offset: 0,
        limit: u64::MAX,
    };
    /// No line: counts only.
    pub const NONE: Self = Self { offset: 0, limit: 0 };
}

impl Default for BoardPage {
    fn default() -> Self {
        Self::ALL
    }
}

impl DurableStore {
    /// Some lines of the board of a run, and the counts of all.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn board_page(&self, run: &StreamId, page: BoardPage) -> Result<StoredBoard, StoreError> {
        if page == BoardPage::ALL {
            return self.board(run).await;
        }
        let tallies = self.board_tallies(run).await?;
        if tallies.is_empty() {
            return Ok(StoredBoard::default());
        }
        let lines = self.board_lines(run, page).await?;
        Ok(StoredBoard {
            shown: lines.map_or_else(|| "[]".to_owned(), |lines| lines.shown),
            tallies,
        })
    }

    /// The board of a run, consistent with its journal.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn board(&self, run: &StreamId) -> Result<StoredBoard, StoreError> {
        Ok(self.board_lines(run, BoardPage::ALL).await?.unwrap_or_default())
    }

    /// Lines of a board with the counts of these lines; `None` if there are no such lines.
    async fn board_lines(&self, run: &StreamId, page: BoardPage) -> Result<Option<StoredBoard>, StoreError> {
        let head = self.head(run).await?;
        let db = &self.inner.db;
        // The key has the lines in order. An order named inside `string_agg` would sort them once more each.
        let lines = query(
            "SELECT string_agg(shown, $2) AS shown, \
             string_agg(CAST(place AS TEXT) || ' ' || CAST(seq AS TEXT) || ' ' || state || ' ' \
                 || coalesce(CAST(seal AS TEXT), ''), $2) AS keys \
             FROM (SELECT place, shown, state, seq, seal FROM board WHERE stream_no = $1 ORDER BY place \
                 LIMIT $3 OFFSET $4) AS lines",
        );
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let lines = lines.bind(head.no).bind(BETWEEN);
        let lines = lines.bind(number(page.limit)).bind(number(page.offset));
        let row = lines.fetch_one(&self.inner.readers).await;
        let row = row.map_err(|error| db.error(error))?;
        let columns = Columns::new(&row, db);
        let Some(shown) = columns.get::<Option<String>>("shown")? else {
            return Ok(None);
        };
        let keys = columns.get::<String>("keys")?;
        let damaged =
            || db.projection_damaged(format_args!("the task list of run {run} was changed on the disk"));
        let mut tallies = Tallies::default();
        let mut board = String::with_capacity(shown.len() + 2);
        let mut shown = shown.split(BETWEEN);
        for key in keys.split(BETWEEN) {
            let shown = shown.next().ok_or_else(damaged)?;
            let key = LineKey::parse(key).ok_or_else(damaged)?;
            if !key.fits(head.no, shown) {
                return Err(damaged());
            }
            tallies.count(&key);
            board.push(if board.is_empty() { '[' } else { ',' });
            board.push_str(shown);
        }
        board.push(']');
        Ok(Some(StoredBoard {
            shown: board,
            tallies: tallies.sorted(),
        }))
    }

    /// Number of lines of a run's board in each state, without the lines.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn board_tallies(&self, run: &StreamId) -> Result<Vec<BoardTally>, StoreError> {
        let head = self.head(run).await?;
        let db = &self.inner.db;
        let counted = query(
            "SELECT state, CAST(COUNT(*) AS BIGINT) AS n_lines, \
             CAST(SUM(CASE WHEN seq > 1 THEN 1 ELSE 0 END) AS BIGINT) AS n_later \
             FROM board WHERE stream_no = $1 GROUP BY state ORDER BY state",
        );
        let rows = counted.bind(head.no).fetch_all(&self.inner.readers).await;
        let rows = rows.map_err(|error| db.error(error))?;
        let tally = |columns: Columns<'_>| {
            let count = |name: &'static str| columns.get::<i64>(name).map(i64::unsigned_abs);
            Ok(BoardTally {
                state: columns.get("state")?,
                n_lines: count("n_lines")?,
                n_later: count("n_later")?,
            })
        };
        rows.iter().map(|row| tally(Columns::new(row, db))).collect()
    }

    /// Replaces a whole board, with lines from a fold of the run's journal.
    ///
    /// # Errors
    /// When there is no such run, or the store fails.
    pub async fn rewrite_board(&self, run: &StreamId, lines: Vec<BoardLine>) -> Result<(), StoreError> {
        let (db, run) = (self.inner.db.clone(), run.clone());
        self.transact(JobScope::Beside, move |link| {
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
                    board_values(head.no, head.last_seq, line, values);
                });
                batch.run(link).await.map_err(fail)
            })
        })
        .await
    }
}

/// A line without its display data, as [`DurableStore::board`] queries it.
struct LineKey<'k> {
    place: u32,
    seq: u64,
    state: &'k str,
    seal: Option<i64>,
}

impl<'k> LineKey<'k> {
    fn parse(key: &'k str) -> Option<Self> {
        let (place, rest) = key.split_once(' ')?;
        let (seq, rest) = rest.split_once(' ')?;
        let (state, seal) = rest.rsplit_once(' ')?;
        Some(Self {
            place: place.parse().ok()?,
            seq: seq.parse().ok()?,
            state,
            seal: match seal {
                "" => None,
                seal => Some(seal.parse().ok()?),
            },
        })
    }

    /// Whether the line is unchanged; always true for a line without a seal.
    fn fits(&self, stream_no: i64, shown: &str) -> bool {
        self.seal
            .is_none_or(|seal| seal == seal_line(stream_no, (self.place, self.seq), self.state, shown))
    }
}

/// Lines counted by state.
#[derive(Default)]
struct Tallies(Vec<BoardTally>);

impl Tallies {
    fn count(&mut self, key: &LineKey<'_>) {
        let n_later = u64::from(key.seq > 1);
        match self.0.iter_mut().find(|tally| tally.state == key.state) {
            Some(tally) => {
                tally.n_lines += 1;
                tally.n_later += n_later;
            }
            None => self.0.push(BoardTally {
                state: key.state.to_owned(),
                n_lines: 1,
                n_later,
            }),
        }
    }

    fn sorted(mut self) -> Vec<BoardTally> {
        self.0.sort_by(|a, b| a.state.cmp(&b.state));
        self.0
    }
}
