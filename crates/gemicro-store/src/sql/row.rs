//! Rows of both engines.

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

use super::text::unpack;

/// A row of a result.
#[derive(Debug)]
pub(crate) enum SqlRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// A type that a column can be read as.
pub(crate) trait Column: Sized {
    fn read(row: &SqlRow, name: &'static str) -> Result<Self, sqlx::Error>;
}

macro_rules! plain_columns {
    ($($column:ty),+) => {
        $(impl Column for $column {
            fn read(row: &SqlRow, name: &'static str) -> Result<Self, sqlx::Error> {
                match row {
                    SqlRow::Sqlite(row) => row.try_get(name),
                    SqlRow::Postgres(row) => row.try_get(name),
                }
            }
        })+
    };
}

plain_columns!(i64, Option<i64>, bool, Vec<u8>);

impl Column for Option<String> {
    fn read(row: &SqlRow, name: &'static str) -> Result<Self, sqlx::Error> {
        match row {
            SqlRow::Sqlite(row) => row.try_get(name),
            SqlRow::Postgres(row) => row.try_get::<Self, _>(name).map(|text| text.map(unpack)),
        }
    }
}

impl Column for String {
    fn read(row: &SqlRow, name: &'static str) -> Result<Self, sqlx::Error> {
        match row {
            SqlRow::Sqlite(row) => row.try_get(name),
            SqlRow::Postgres(row) => row.try_get::<Self, _>(name).map(unpack),
        }
    }
}

impl Column for Option<u32> {
    fn read(row: &SqlRow, name: &'static str) -> Result<Self, sqlx::Error> {
        let number = Option::<i64>::read(row, name)?;
        let number = number.map(u32::try_from).transpose();
        number.map_err(|error| sqlx::Error::Decode(error.into()))
    }
}

impl Column for u32 {
    fn read(row: &SqlRow, name: &'static str) -> Result<Self, sqlx::Error> {
        let number = u32::try_from(i64::read(row, name)?);
        number.map_err(|error| sqlx::Error::Decode(error.into()))
    }
}
