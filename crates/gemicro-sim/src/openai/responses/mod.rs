//! The Responses API: typed items, numbered events, optional state on the server.
//!
//! `check` rejects what the service rejects, `request` reads the request, `items` and `events` format complete and
//! streamed answers, `stored` keeps conversations, and `create` is the endpoint.

mod check;
mod create;
mod events;
mod items;
mod request;
mod stored;

pub(super) use create::create;
pub(super) use request::call;
pub(crate) use stored::ResponseStore;
