//! The server of the batches, if one is named by `--server` or `GEMICRO_SERVER`.

use std::path::{Path, PathBuf};

use clap::Args;
use gemicro_engine::SubmittedBatch;
use gemicro_event::ErrorKind;
use gemicro_http::client::BatchClient;
use serde_json::json;

use crate::command_error::CommandError;
use crate::environment::TOKEN;
use crate::session::Context;
use crate::token;

/// The variable that names a server.
const SERVER: &str = "GEMICRO_SERVER";
/// The variable that names a file with its token.
const TOKEN_FILE: &str = "GEMICRO_TOKEN_FILE";

/// Which server has the batches.
#[derive(Debug, Args)]
pub(super) struct ServerArgs {
    /// Use the batches of this server, such as http://127.0.0.1:8737 [env: GEMICRO_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// The file with the server's token [default: GEMICRO_TOKEN, else the token file of `gemicro serve`]
    #[arg(long, global = true, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
}

impl ServerArgs {
    /// The context with the named server applied.
    pub(super) fn apply_server(&self, ctx: &Context) -> Context {
        let mut environment = ctx.environment.clone();
        if let Some(server) = &self.server {
            environment.set(SERVER, server.clone());
        }
        if let Some(file) = &self.token_file {
            environment.set(TOKEN_FILE, file.display().to_string());
        }
        Context {
            environment,
            screen: ctx.screen.clone(),
            verbose: ctx.verbose,
        }
    }
}

/// Whether a server is named.
pub(super) fn is_named(ctx: &Context) -> bool {
    ctx.environment.get(SERVER).is_some()
}

/// The client for the named server.
pub(super) fn client(ctx: &Context) -> Result<Option<BatchClient>, CommandError> {
    let Some(server) = ctx.environment.get(SERVER) else {
        return Ok(None);
    };
    let token = match (ctx.environment.get(TOKEN_FILE), ctx.environment.get(TOKEN)) {
        (Some(file), _) => read(Path::new(file))?,
        (None, Some(token)) => token.to_owned(),
        (None, None) => read(&ctx.home(&ctx.layers()?)?.join(token::HTTP))?,
    };
    Ok(Some(BatchClient::new(server, &token)?))
}

/// A batch in the form that a server accepts.
pub(super) fn body(batch: &SubmittedBatch) -> Result<Vec<u8>, CommandError> {
    let body = json!({
        "key": batch.key,
        "on_failure": batch.on_failure,
        "deadline_seconds": batch.deadline_seconds,
        "tasks": batch.tasks,
    });
    let mut body = body;
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    Ok(body.to_string().into_bytes())
}

fn read(path: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| {
        CommandError::new_failure(
            ErrorKind::AuthFailed,
            format!("the token in {} cannot be read: {error}", path.display()),
            format!("set {TOKEN} to the server's token, or give its file with --token-file"),
        )
    })
}
