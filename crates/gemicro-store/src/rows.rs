//! Many rows in one statement.
//!
//! A trip to the database costs more than a row, so rows go in chunks of a few fixed sizes; that keeps the
//! number of different statement texts, and so of prepared statements, small.

use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Encode, Sqlite, SqliteConnection, Type};

/// A statement over rows of values: `before (?, …), (?, …) after`.
#[derive(Debug)]
pub(crate) struct RowStatement {
    pub(crate) before: &'static str,
    pub(crate) n_columns: usize,
    pub(crate) after: &'static str,
}

/// The values of one row, in the order of the columns.
#[derive(Debug, Default)]
pub(crate) struct Values {
    arguments: SqliteArguments,
    failed: Option<sqlx::Error>,
}

impl Values {
    /// Adds the next column's value.
    pub(crate) fn add<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> &mut Self {
        if let Err(error) = self.arguments.add(value) {
            self.failed = Some(sqlx::Error::Encode(error));
        }
        self
    }
}

const CHUNKS: [usize; 4] = [64, 16, 4, 1];

impl RowStatement {
    /// Runs the statement over all rows.
    pub(crate) async fn run<R>(
        &self,
        connection: &mut SqliteConnection,
        rows: &[R],
        values_of: impl Fn(&R, &mut Values),
    ) -> Result<(), sqlx::Error> {
        let mut rest = rows;
        for n_rows in CHUNKS {
            while rest.len() >= n_rows {
                let (chunk, others) = rest.split_at(n_rows);
                rest = others;
                let mut values = Values::default();
                values.arguments.reserve(n_rows * self.n_columns, 0);
                for row in chunk {
                    values_of(row, &mut values);
                }
                if let Some(error) = values.failed {
                    return Err(error);
                }
                let sql = AssertSqlSafe(self.text(n_rows));
                sqlx::query_with(sql, values.arguments).execute(&mut *connection).await?;
            }
        }
        Ok(())
    }

    fn text(&self, n_rows: usize) -> String {
        let mut row = "(".to_owned() + &"?,".repeat(self.n_columns);
        row.pop();
        row.push_str("),");
        let mut rows = row.repeat(n_rows);
        rows.pop();
        format!("{} {rows} {}", self.before, self.after)
    }
}
