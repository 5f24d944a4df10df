//! SQL for both engines.
//!
//! Statements are written once, in PostgreSQL's dialect with numbered parameters (`$1`); a [`Query`] takes one with
//! its values to a [`Link`] (one connection) or a [`ConnectionPool`]. Only `query` translates to SQLite's dialect.
//! A [`Batch`] writes many rows of many tables.

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
