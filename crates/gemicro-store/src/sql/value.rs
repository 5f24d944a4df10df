//! Parameter values of statements.

use sqlx::Arguments;
use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;

use super::text::pack;

/// One value of a statement.
#[derive(Debug, Clone)]
pub(crate) enum SqlValue {
    Int(Option<i64>),
    Text(Option<String>),
    Bool(bool),
    Bytes(Vec<u8>),
    Ints(Vec<i64>),
    Texts(Vec<String>),
}

type ValueFailure = sqlx::error::BoxDynError;

impl SqlValue {
    /// Adds it for SQLite, where lists are passed as JSON.
    pub(super) fn add_to_sqlite(self, arguments: &mut SqliteArguments) -> Result<(), ValueFailure> {
        match self {
            Self::Int(number) => arguments.add(number),
            Self::Text(text) => arguments.add(text),
            Self::Bool(truth) => arguments.add(truth),
            Self::Bytes(bytes) => arguments.add(bytes),
            Self::Ints(numbers) => arguments.add(serde_json::to_string(&numbers)?),
            Self::Texts(texts) => arguments.add(serde_json::to_string(&texts)?),
        }
    }

    pub(super) fn add_to_postgres(self, arguments: &mut PgArguments) -> Result<(), ValueFailure> {
        match self {
            Self::Int(number) => arguments.add(number),
            Self::Text(text) => arguments.add(text.map(pack)),
            Self::Bool(truth) => arguments.add(truth),
            Self::Bytes(bytes) => arguments.add(bytes),
            Self::Ints(numbers) => arguments.add(numbers),
            Self::Texts(texts) => arguments.add(texts.into_iter().map(pack).collect::<Vec<_>>()),
        }
    }
}

macro_rules! value_from {
    ($($from:ty => |$it:ident| $value:expr;)+) => {
        $(impl From<$from> for SqlValue {
            fn from($it: $from) -> Self {
                $value
            }
        })+
    };
}

value_from! {
    i64 => |it| Self::Int(Some(it));
    u32 => |it| Self::Int(Some(i64::from(it)));
    // All 64 bits are kept; columns are read back as unsigned.
    u64 => |it| Self::Int(Some(it.cast_signed()));
    Option<i64> => |it| Self::Int(it);
    &str => |it| Self::Text(Some(it.to_owned()));
    String => |it| Self::Text(Some(it));
    Option<&str> => |it| Self::Text(it.map(str::to_owned));
    Option<String> => |it| Self::Text(it);
    bool => |it| Self::Bool(it);
    Vec<u8> => |it| Self::Bytes(it);
    Vec<i64> => |it| Self::Ints(it);
    Vec<String> => |it| Self::Texts(it);
}
