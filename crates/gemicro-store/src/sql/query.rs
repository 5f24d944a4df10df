//! A statement with its values.

use std::borrow::Cow;

use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;

use super::{SqlRow, SqlTarget, SqlValue};

/// A statement in PostgreSQL's dialect, with its parameter values.
#[derive(Debug)]
pub(crate) struct Query {
    sql: &'static str,
    values: Vec<SqlValue>,
}

/// Makes a statement in PostgreSQL's dialect.
pub(crate) fn query(sql: &'static str) -> Query {
    Query {
        sql,
        values: Vec::new(),
    }
}

impl Query {
    /// Adds the value of the next parameter.
    pub(crate) fn bind(mut self, value: impl Into<SqlValue>) -> Self {
        self.values.push(value.into());
        self
    }

    pub(crate) async fn fetch_all<'t>(self, target: impl SqlTarget<'t>) -> Result<Vec<SqlRow>, sqlx::Error> {
        target.fetch(self).await
    }

    pub(crate) async fn fetch_optional<'t>(
        self,
        target: impl SqlTarget<'t>,
    ) -> Result<Option<SqlRow>, sqlx::Error> {
        Ok(target.fetch(self).await?.into_iter().next())
    }

    pub(crate) async fn fetch_one<'t>(self, target: impl SqlTarget<'t>) -> Result<SqlRow, sqlx::Error> {
        self.fetch_optional(target).await?.ok_or(sqlx::Error::RowNotFound)
    }

    /// Runs it and returns the number of changed rows.
    pub(crate) async fn execute<'t>(self, target: impl SqlTarget<'t>) -> Result<u64, sqlx::Error> {
        target.execute(self).await
    }

    pub(super) fn for_sqlite(self) -> Result<(Cow<'static, str>, SqliteArguments), sqlx::Error> {
        let mut arguments = SqliteArguments::default();
        for value in self.values {
            value.add_to_sqlite(&mut arguments).map_err(sqlx::Error::Encode)?;
        }
        Ok((sqlite_text(self.sql), arguments))
    }

    pub(super) fn for_postgres(self) -> Result<(&'static str, PgArguments), sqlx::Error> {
        let mut arguments = PgArguments::default();
        for value in self.values {
            value
                .add_to_postgres(&mut arguments)
                .map_err(sqlx::Error::Encode)?;
        }
        Ok((self.sql, arguments))
    }
}

/// Row locks, which SQLite does not have or need, because it has one writer at a time.
const LOCKS: [&str; 3] = [" FOR UPDATE OF q SKIP LOCKED", " FOR UPDATE OF s", " FOR UPDATE"];

/// Translates a statement to SQLite's dialect.
pub(super) fn sqlite_text(sql: &'static str) -> Cow<'static, str> {
    let mut text = Cow::Borrowed(sql);
    for lock in LOCKS {
        if text.contains(lock) {
            text = Cow::Owned(text.replace(lock, ""));
        }
    }
    while let Some((before, rest)) = text.split_once("= ANY(") {
        let Some((place, after)) = rest.split_once(')') else {
            break;
        };
        text = Cow::Owned(format!(
            "{before}IN (SELECT value FROM json_each({place})){after}"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::sqlite_text;

    #[test]
    fn sqlite_gets_its_own_words() {
        for (given, expected) in [
            ("SELECT 1", "SELECT 1"),
            ("SELECT a FROM s FOR UPDATE OF s", "SELECT a FROM s"),
            (
                "UPDATE q SET x = $2 WHERE no IN (SELECT no FROM q WHERE no = ANY($1) LIMIT $3 FOR UPDATE)",
                "UPDATE q SET x = $2 WHERE no IN (SELECT no FROM q WHERE no IN (SELECT value FROM json_each($1)) LIMIT $3)",
            ),
        ] {
            assert_eq!(sqlite_text(given), expected);
        }
    }
}
