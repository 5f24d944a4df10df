//! Notifications about runs: deliveries of journal events to a command of the user and to webhooks.
//!
//! # Theory of operation
//!
//! Deliveries are derived from the journal. A file beside the store ([`queue`]) has a cursor per run and the
//! deliveries that are not done. `Notifier::collect` reads the events behind the cursors and adds their deliveries;
//! `Notifier::deliver_due` claims those that are due, sends them, and records the results. A killed process leaves
//! its claims, which expire. So every notable event is delivered at least once, always under the same id: its run and
//! its sequence number. Several processes may share the file.
//!
//! A run never waits for any of this: errors here are logged and the delivery is tried again.

mod notice;
mod notifier;
pub mod queue;
mod queue_file;
mod settings;
mod spawn;
mod webhook;

pub use notice::{NoticeKind, RunNotice};
pub use notifier::{Notifier, TargetOutcome};
pub use queue_file::QueueFile;
pub use settings::{BadWebhook, NotifySettings, Webhook, WebhookSecret};
