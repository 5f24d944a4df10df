//! The user interfaces of a chat: a full screen, or lines for pipes.
//!
//! Both take the two ends of a chat ([`ChatChannel`]), send it orders and show its news. They know nothing about
//! models, agents and stores.

#[cfg(test)]
mod actor;
mod channel;
pub(crate) mod lines;
mod message;
pub(crate) mod screen;
mod slash;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use channel::ChatChannel;
