//! Stores commands and their acknowledgements as rows.

use gemicro_core::command::{AckStatus, AgentAck, AgentCommand};
use gemicro_core::store::StoreError;
use gemicro_event::{CommandId, Json, StreamId, Timestamp};

use crate::DurableStore;
use crate::columns::Columns;
use crate::error::DbName;
use crate::read::lock_head;
use crate::sql::{Link, SqlRow, SqlTarget, query};
use crate::writer::JobScope;

impl DurableStore {
    pub(crate) async fn insert_command(
        &self,
        stream: StreamId,
        command: AgentCommand,
    ) -> Result<AgentAck, StoreError> {
        let db = self.inner.db.clone();
        let target = stream.clone();
        let ack = self
            .transact(JobScope::Beside, move |connection| {
                Box::pin(async move { insert(connection, &db, &target, command).await })
            })
            .await?;
        self.inner.wakes.wake(&stream, || None);
        Ok(ack)
    }

    pub(crate) async fn read_open_commands(
        &self,
        stream: &StreamId,
    ) -> Result<Vec<AgentCommand>, StoreError> {
        let db = &self.inner.db;
        let head = self.head(stream).await?;
        let query = query("SELECT * FROM commands WHERE stream_no = $1 AND status = $2 ORDER BY no");
        let rows = query
            .bind(head.no)
            .bind(status_word(AckStatus::Accepted))
            .fetch_all(&self.inner.readers)
            .await;
        rows.map_err(|error| db.error(error))?
            .iter()
            .map(|row| read_command(row, db))
            .collect()
    }

    pub(crate) async fn update_ack(&self, stream: StreamId, ack: AgentAck) -> Result<(), StoreError> {
        let db = self.inner.db.clone();
        let target = stream.clone();
        self.transact(JobScope::Beside, move |connection| {
            Box::pin(async move {
                let head = lock_head(connection, &db, &target).await?;
                head.check_not_erased(&target)?;
                query(
                    "UPDATE commands SET status = $1, ack_data = $2 WHERE stream_no = $3 AND command_id = $4",
                )
                .bind(status_word(ack.status))
                .bind(ack.data.text())
                .bind(head.no)
                .bind(ack.command_id.as_str())
                .execute(connection)
                .await
                .map(drop)
                .map_err(|error| db.error(error))
            })
        })
        .await
    }

    pub(crate) async fn read_ack(
        &self,
        stream: &StreamId,
        command_id: &CommandId,
    ) -> Result<Option<AgentAck>, StoreError> {
        let head = self.head(stream).await?;
        find_ack(&self.inner.readers, &self.inner.db, head.no, command_id).await
    }
}

async fn insert(
    connection: &mut Link,
    db: &DbName,
    stream: &StreamId,
    command: AgentCommand,
) -> Result<AgentAck, StoreError> {
    let head = lock_head(connection, db, stream).await?;
    head.check_not_erased(stream)?;
    if let Some(ack) = find_ack(&mut *connection, db, head.no, &command.command_id).await? {
        return Ok(ack);
    }
    let (status, data) = if head.ended {
        (
            AckStatus::Rejected,
            serde_json::json!({ "reason": "the run has ended" }),
        )
    } else {
        (AckStatus::Accepted, serde_json::json!({}))
    };
    let ack = AgentAck {
        command_id: command.command_id,
        status,
        data: Json::from(data),
    };
    query(
        "INSERT INTO commands (stream_no, command_id, command_type, data, sent_at, status, ack_data) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(head.no)
    .bind(ack.command_id.as_str())
    .bind(command.command_type)
    .bind(command.data.text())
    .bind(Timestamp::now().as_millis())
    .bind(status_word(status))
    .bind(ack.data.text())
    .execute(&mut *connection)
    .await
    .map_err(|error| db.error(error))?;
    connection
        .notify(vec![stream.to_string()])
        .await
        .map_err(|error| db.error(error))?;
    Ok(ack)
}

async fn find_ack<'t>(
    target: impl SqlTarget<'t>,
    db: &DbName,
    stream_no: i64,
    command_id: &CommandId,
) -> Result<Option<AgentAck>, StoreError> {
    let query = query("SELECT * FROM commands WHERE stream_no = $1 AND command_id = $2");
    let row = query
        .bind(stream_no)
        .bind(command_id.as_str())
        .fetch_optional(target)
        .await;
    let Some(row) = row.map_err(|error| db.error(error))? else {
        return Ok(None);
    };
    let columns = Columns::new(&row, db);
    let status = match columns.get::<String>("status")?.as_str() {
        "accepted" => AckStatus::Accepted,
        "rejected" => AckStatus::Rejected,
        "completed" => AckStatus::Completed,
        other => return Err(db.odd_row(format_args!("command status {other}"))),
    };
    let data = Json::from_text(&columns.get::<String>("ack_data")?).map_err(|error| db.odd_row(error))?;
    Ok(Some(AgentAck {
        command_id: command_id.clone(),
        status,
        data,
    }))
}

fn read_command(row: &SqlRow, db: &DbName) -> Result<AgentCommand, StoreError> {
    let columns = Columns::new(row, db);
    let command_id = columns.get::<String>("command_id")?;
    Ok(AgentCommand {
        command_type: columns.get("command_type")?,
        command_id: CommandId::try_from(command_id).map_err(|error| db.odd_row(error))?,
        data: Json::from_text(&columns.get::<String>("data")?).map_err(|error| db.odd_row(error))?,
    })
}

fn status_word(status: AckStatus) -> &'static str {
    match status {
        AckStatus::Accepted => "accepted",
        AckStatus::Rejected => "rejected",
        AckStatus::Completed => "completed",
    }
}
