//! The listener under gemicro's HTTP servers: who may connect, how many at once, for how long.
//!
//! [`serve`] accepts connections for a [`ListenerSite`] until it is told to stop. It knows nothing about what a site answers.
//!
//! # Theory of operation
//!
//! A connection is idle until it has sent a whole request head, and again after each answer. Any number of idle
//! connections is accepted, but only [`MAX_IDLE`] are kept: for a new one the longest idle one is closed, strangers
//! first (`idle`). So connections that send nothing cannot keep others out.
//!
//! A request is checked from its head alone ([`ServerAccess`]). A caller without the token gets a short answer and its
//! connection is closed, whatever else it sent: it never holds a place. A caller with the token gets one of
//! [`MAX_REQUESTS`] places until its answer has been handed to the connection, and waits a little when all are taken
//! (`places`). A path that the site opens to everybody, such as a health check, needs no place and is always answered.
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
