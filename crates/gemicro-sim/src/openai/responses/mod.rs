//! The Responses API: typed items in and out, events with numbers, state on the server for those who want it.
//!
//! `check` refuses what the service refuses, `request` reads what is left, `items` and `events` write answers whole and
//! in pieces, `stored` keeps conversations, `create` is the endpoint.

mod check;
mod create;
mod events;
mod items;
mod request;
mod stored;

pub(super) use create::create;
pub(super) use request::call;
pub(crate) use stored::ResponseStore;
