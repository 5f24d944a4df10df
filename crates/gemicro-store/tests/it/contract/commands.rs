//! Commands as rows.

use std::sync::Arc;

use gemicro_core::command::{AckStatus, AgentAck, AgentCommand};
use gemicro_core::store::Store;
use gemicro_event::Json;
use serde_json::json;

use crate::make::{append_outside, end, free_run};

pub(crate) async fn the_same_command_is_one_command(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "commands").await;
    let command = AgentCommand::cancel("enough");
    let id = &command.command_id;
    assert_eq!(store.acknowledgement(&stream, id).await.unwrap(), None);
    let first = store.send_command(&stream, command.clone()).await.unwrap();
    assert_eq!((first.status, &first.command_id), (AckStatus::Accepted, id));
    assert_eq!(store.send_command(&stream, command.clone()).await.unwrap(), first);
    assert_eq!(store.open_commands(&stream).await.unwrap(), vec![command.clone()]);
    let done = AgentAck {
        command_id: id.clone(),
        status: AckStatus::Completed,
        data: Json::from_text(r#"{ "at": 1.50, "b":"é" }"#).unwrap(),
    };
    store.acknowledge(&stream, done.clone()).await.unwrap();
    assert_eq!(store.open_commands(&stream).await.unwrap(), vec![]);
    assert_eq!(
        store.acknowledgement(&stream, id).await.unwrap(),
        Some(done.clone())
    );
    assert_eq!(store.send_command(&stream, command).await.unwrap(), done);
}

pub(crate) async fn commands_come_oldest_first(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "order").await;
    let commands: Vec<_> = (0..5)
        .map(|n| AgentCommand::answer(&format!("q{n}"), &Json::from(json!(n))))
        .collect();
    for command in &commands {
        store.send_command(&stream, command.clone()).await.unwrap();
    }
    assert_eq!(store.open_commands(&stream).await.unwrap(), commands);
    let other = free_run(&*store, "other").await;
    assert_eq!(store.open_commands(&other).await.unwrap(), vec![]);
}

pub(crate) async fn an_ended_run_rejects_commands(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "ended").await;
    append_outside(&*store, &stream, vec![end()]).await.unwrap();
    let ack = store
        .send_command(&stream, AgentCommand::cancel("late"))
        .await
        .unwrap();
    assert_eq!(
        (ack.status, &ack.data["reason"]),
        (AckStatus::Rejected, &json!("the run has ended"))
    );
    assert_eq!(store.open_commands(&stream).await.unwrap(), vec![]);
}
