//! Writes many rows of many tables in few round trips.
//!
//! With SQLite, each round trip costs two thread switches, far more than a row, so a [`Batch`] is sent as one string of
//! several statements. Rows come in chunks of a few fixed sizes, padded with empty rows that the statement skips; that
//! keeps the number of different texts, and so of prepared statements, small. PostgreSQL gets one statement at a time,
//! with the rows as one list per column.

use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe};

use super::query::sqlite_text;
use super::text::pack;
use super::{Link, SqlValue};

/// A statement over rows of values; its first column is never null.
#[derive(Debug)]
pub(crate) struct RowStatement {
    pub(crate) before: &'static str,
    pub(crate) columns: &'static [ColumnKind],
    pub(crate) after: &'static str,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Int,
    Text,
    Bool,
}

/// Statements with their values.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    parts: Vec<(&'static RowStatement, Vec<SqlValue>)>,
    /// Streams whose subscribers in other processes are notified.
    changed: Vec<String>,
    /// Whether to commit the transaction at the end.
    commits: bool,
}

/// Rows per statement: the smallest size that fits; the largest is repeated.
const CHUNKS: [usize; 3] = [1, 8, 64];
const LARGEST: usize = CHUNKS[CHUNKS.len() - 1];

impl Batch {
    /// Adds a statement over all rows; `values_of` must add one value per column.
    pub(crate) fn rows<R>(
        &mut self,
        statement: &'static RowStatement,
        rows: &[R],
        values_of: impl Fn(&R, &mut Values),
    ) -> &mut Self {
        if rows.is_empty() {
            return self;
        }
        let mut values = Values(Vec::with_capacity(rows.len() * statement.columns.len()));
        for row in rows {
            values_of(row, &mut values);
        }
        self.parts.push((statement, values.0));
        self
    }

    /// Notifies the subscribers of these streams in other processes, after the commit.
    pub(crate) fn notify(&mut self, changed: Vec<String>) -> &mut Self {
        self.changed = changed;
        self
    }

    /// Commits the transaction after the rows.
    pub(crate) fn commit(&mut self) -> &mut Self {
        self.commits = true;
        self
    }

    /// Runs all statements in order, up to the first failure.
    pub(crate) async fn run(self, link: &mut Link) -> Result<(), sqlx::Error> {
        match link {
            Link::Sqlite(connection) => {
                let (sql, arguments) = self.for_sqlite()?;
                if !sql.is_empty() {
                    let query = sqlx::query_with(AssertSqlSafe(sql), arguments);
                    query.execute(connection).await?;
                }
            }
            Link::Postgres(connection) => {
                for (statement, values) in self.parts {
                    let arguments = columns(statement.columns, values).map_err(sqlx::Error::Encode)?;
                    let query = sqlx::query_with(AssertSqlSafe(statement.postgres_text()), arguments);
                    query.execute(&mut **connection).await?;
                }
                link.notify(self.changed).await?;
                if self.commits {
                    link.script("COMMIT").await?;
                }
            }
        }
        Ok(())
    }

    fn for_sqlite(self) -> Result<(String, SqliteArguments), sqlx::Error> {
        let (mut sql, mut arguments) = (String::new(), SqliteArguments::default());
        for (statement, values) in self.parts {
            let n_columns = statement.columns.len();
            let mut n_left = values.len() / n_columns;
            let mut values = values.into_iter();
            while n_left > 0 {
                let n_here = n_left.min(LARGEST);
                let n_rows = CHUNKS.into_iter().find(|size| *size >= n_here).unwrap_or(LARGEST);
                statement.write_sqlite(&mut sql, n_rows);
                arguments.reserve(n_rows * n_columns, 0);
                let filler = std::iter::repeat_n(SqlValue::Int(None), (n_rows - n_here) * n_columns);
                for value in values.by_ref().take(n_here * n_columns).chain(filler) {
                    value.add_to_sqlite(&mut arguments).map_err(sqlx::Error::Encode)?;
                }
                n_left -= n_here;
            }
        }
        if self.commits {
            sql.push_str("COMMIT;");
        }
        Ok((sql, arguments))
    }
}

/// The values of rows, one after the other.
#[derive(Debug)]
pub(crate) struct Values(Vec<SqlValue>);

impl Values {
    /// Adds the next column's value.
    pub(crate) fn value(&mut self, value: impl Into<SqlValue>) -> &mut Self {
        self.0.push(value.into());
        self
    }
}

impl RowStatement {
    fn write_sqlite(&self, sql: &mut String, n_rows: usize) {
        sql.push_str(self.before);
        sql.push_str(" SELECT * FROM (VALUES ");
        for row in 0..n_rows {
            sql.push_str(if row == 0 { "(?" } else { ",(?" });
            for _ in 1..self.columns.len() {
                sql.push_str(",?");
            }
            sql.push(')');
        }
        sql.push_str(") WHERE column1 IS NOT NULL ");
        sql.push_str(&sqlite_text(self.after));
        sql.push(';');
    }

    fn postgres_text(&self) -> String {
        let lists = self.columns.iter().enumerate().map(|(index, kind)| {
            let list = match kind {
                ColumnKind::Int => "bigint[]",
                ColumnKind::Text => "text[]",
                ColumnKind::Bool => "boolean[]",
            };
            format!("${}::{list}", index + 1)
        });
        let lists = lists.collect::<Vec<_>>().join(", ");
        format!(
            "{} SELECT * FROM unnest({lists}) AS given {}",
            self.before, self.after
        )
    }
}

type ColumnError = sqlx::error::BoxDynError;

/// Transposes rows to one list per column.
fn columns(kinds: &[ColumnKind], values: Vec<SqlValue>) -> Result<PgArguments, ColumnError> {
    let mut lists: Vec<Vec<SqlValue>> = kinds.iter().map(|_| Vec::new()).collect();
    for (index, value) in values.into_iter().enumerate() {
        lists[index % kinds.len()].push(value);
    }
    let mut arguments = PgArguments::default();
    for (kind, list) in kinds.iter().zip(lists) {
        let list = list.into_iter();
        match kind {
            ColumnKind::Int => arguments.add(list.map(int).collect::<Result<Vec<_>, _>>()?)?,
            ColumnKind::Text => arguments.add(list.map(text).collect::<Result<Vec<_>, _>>()?)?,
            ColumnKind::Bool => arguments.add(list.map(truth).collect::<Result<Vec<_>, _>>()?)?,
        }
    }
    Ok(arguments)
}

fn int(value: SqlValue) -> Result<Option<i64>, ColumnError> {
    match value {
        SqlValue::Int(number) => Ok(number),
        other => Err(format!("{other:?} is not a number").into()),
    }
}

fn text(value: SqlValue) -> Result<Option<String>, ColumnError> {
    match value {
        SqlValue::Text(text) => Ok(text.map(pack)),
        other => Err(format!("{other:?} is not a text").into()),
    }
}

fn truth(value: SqlValue) -> Result<bool, ColumnError> {
    match value {
        SqlValue::Bool(truth) => Ok(truth),
        other => Err(format!("{other:?} is neither true nor false").into()),
    }
}
