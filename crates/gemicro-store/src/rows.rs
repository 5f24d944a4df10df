//! Many rows of many tables in one trip to the database.
//!
//! A trip costs two changes of thread, far more than a row, so a [`Batch`] is sent as one text of several
//! statements. Rows come in chunks of a few fixed sizes, filled up with empty rows that the statement skips:
//! that keeps the number of different texts, and so of prepared statements, small.

use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Encode, Sqlite, SqliteConnection, Type};

/// A statement over rows of values; its first column is never null.
#[derive(Debug)]
pub(crate) struct RowStatement {
    pub(crate) before: &'static str,
    pub(crate) n_columns: usize,
    pub(crate) after: &'static str,
}

/// Statements with their values.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    sql: String,
    arguments: SqliteArguments,
    failed: Option<sqlx::Error>,
}

/// Rows per statement: the smallest size that is enough, the largest as often as needed.
const CHUNKS: [usize; 3] = [1, 8, 64];
const LARGEST: usize = CHUNKS[CHUNKS.len() - 1];

impl Batch {
    /// Adds a statement over all rows.
    pub(crate) fn rows<R>(
        &mut self,
        statement: &RowStatement,
        rows: &[R],
        values_of: impl Fn(&R, &mut Self),
    ) -> &mut Self {
        for chunk in rows.chunks(LARGEST) {
            let n_rows = CHUNKS
                .into_iter()
                .find(|size| *size >= chunk.len())
                .unwrap_or(LARGEST);
            statement.write(&mut self.sql, n_rows);
            self.arguments.reserve(n_rows * statement.n_columns, 0);
            for row in chunk {
                values_of(row, self);
            }
            for _ in 0..(n_rows - chunk.len()) * statement.n_columns {
                self.value(None::<i64>);
            }
        }
        self
    }

    /// Adds a statement without values.
    pub(crate) fn statement(&mut self, sql: &'static str) -> &mut Self {
        self.sql.push_str(sql);
        self.sql.push(';');
        self
    }

    /// Adds the next column's value.
    pub(crate) fn value<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> &mut Self {
        if let Err(error) = self.arguments.add(value) {
            self.failed = Some(sqlx::Error::Encode(error));
        }
        self
    }

    /// Runs all statements in order, up to the first that fails.
    pub(crate) async fn run(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        match self.failed {
            Some(error) => Err(error),
            None if self.sql.is_empty() => Ok(()),
            None => {
                let query = sqlx::query_with(AssertSqlSafe(self.sql), self.arguments);
                query.execute(connection).await.map(drop)
            }
        }
    }
}

impl RowStatement {
    fn write(&self, sql: &mut String, n_rows: usize) {
        sql.push_str(self.before);
        sql.push_str(" SELECT * FROM (VALUES ");
        for row in 0..n_rows {
            sql.push_str(if row == 0 { "(?" } else { ",(?" });
            for _ in 1..self.n_columns {
                sql.push_str(",?");
            }
            sql.push(')');
        }
        sql.push_str(") WHERE column1 IS NOT NULL ");
        sql.push_str(self.after);
        sql.push(';');
    }
}
