//! The listener of gemicro's HTTP servers: controls who may connect, how many at once, and for how long.
//!
//! [`serve`] accepts connections for a [`ListenerSite`] until it is stopped. It does not depend on what a site answers.
//!
//! # Theory of operation
//!
//! A connection is idle until it has sent a whole request head, and again after each answer. Any number of idle
//! connections is accepted, but only [`MAX_IDLE`] are kept: a new one replaces the longest idle one, starting with
//! connections that never had the token (`idle`). So connections that send nothing cannot keep others out.
//!
//! A request is checked by its head only ([`ServerAccess`]). A caller without the token gets a short answer and its
//! connection is closed, so it never holds a request slot. A caller with the token gets one of [`MAX_REQUESTS`] slots
//! until its answer has been passed to the connection, and waits briefly if all are taken (`places`). A path that the
//! site opens to everybody, such as a health check, needs no slot and is always answered.
//!
//! Heads that take too long, and answers that the client does not read, end their connection (`stalled_write`).

mod access;
mod answer_body;
mod connection;
mod idle;
mod places;
mod serving;
mod site;
mod stalled_write;

pub use access::{ServerAccess, ServerReach};
pub use idle::MAX_IDLE;
pub use places::MAX_REQUESTS;
pub use serving::{ListenerParts, serve};
pub use site::{ListenerSite, RequestRefusal};
pub use stalled_write::StalledWrite;
