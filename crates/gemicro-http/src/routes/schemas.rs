//! The schemas of requests and answers, for the OpenAPI document.

use schemars::SchemaGenerator;

use super::{
    batch_changes, batch_types, batches, conversations, health, inbox, run_changes, run_events, run_pause,
    run_result, runs,
};
use crate::document::add;

pub(crate) fn schemas(generator: &mut SchemaGenerator) {
    add::<batches::BatchList>(generator);
    add::<batch_changes::CancelBody>(generator);
    add::<batch_changes::RetryBody>(generator);
    add::<batch_types::BatchTypes>(generator);
    add::<batch_types::BatchType>(generator);
    add::<runs::RunList>(generator);
    add::<inbox::Inbox>(generator);
    add::<run_events::EventPage>(generator);
    add::<run_changes::CommandBody>(generator);
    add::<run_changes::CancelRunBody>(generator);
    add::<run_changes::CancelResultBody>(generator);
    add::<run_pause::EmptyBody>(generator);
    add::<run_pause::PausedRun>(generator);
    add::<run_result::RunResult>(generator);
    add::<conversations::ConversationList>(generator);
    add::<conversations::ConversationTurns>(generator);
    add::<health::Health>(generator);
}
