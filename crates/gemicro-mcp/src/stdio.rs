//! Serves one client over two pipes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use gemicro_event::{ErrorKind, Failure};
use rmcp::service::ServerInitializeError;
use rmcp::transport::IntoTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::CancellationToken;

use crate::server::McpConnection;
use crate::setup::McpSetup;
use crate::unique_ids::UniqueIds;

/// Serves the client on stdin and stdout until it disconnects or `shutdown` is cancelled.
///
/// # Errors
/// When the client does not follow the protocol.
pub async fn serve_stdio(setup: McpSetup, shutdown: CancellationToken) -> Result<(), Failure> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    serve(setup, input, output, shutdown).await
}

/// Serves the client on any two pipes until it disconnects or `shutdown` is cancelled. Runs continue.
///
/// # Errors
/// When the client does not follow the protocol.
pub async fn serve<R, W>(
    setup: McpSetup,
    input: R,
    output: W,
    shutdown: CancellationToken,
) -> Result<(), Failure>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closing = shutdown.child_token();
    let server = McpConnection::new(Arc::new(setup), closing.clone());
    let input = NotedEnd {
        input,
        ended: closing,
    };
    let trouble = |message: String| Failure::new(ErrorKind::Internal, message);
    let transport = UniqueIds::new(IntoTransport::<RoleServer, _, _>::into_transport((input, output)));
    let running = match server.serve_with_ct(transport, shutdown).await {
        Ok(running) => running,
        // A client that disconnects before it initializes is not a failure.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => {
            let message = format!("the client does not speak the Model Context Protocol: {error}");
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
    };
    match running.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(trouble(format!("the connection failed: {error}"))),
    }
}

/// Notices the end of the input. The SDK would let calls wait for seconds before they learn of it.
struct NotedEnd<R> {
    input: R,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for NotedEnd<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(cx, buffer);
        let has_ended = match &polled {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if has_ended {
            self.ended.cancel();
        }
        polled
    }
}
