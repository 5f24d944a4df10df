//! One SQL text for both engines.
//!
//! Statements are written once, in PostgreSQL's dialect with numbered places (`$1`); a [`Query`] carries one with
//! its values to a [`Link`] (one connection) or a [`ConnectionPool`]. What SQLite says differently is changed in `query`,
//! and nowhere else. A [`Batch`] writes many rows of many tables.

mod batch;
mod link;
mod query;
mod row;
mod text;
mod value;

pub(crate) use batch::{Batch, ColumnKind, RowStatement, Values};
pub(crate) use link::{ConnectionPool, Link, SqlTarget};
pub(crate) use query::{Query, query};
pub(crate) use row::{Column, SqlRow};
pub(crate) use value::SqlValue;
