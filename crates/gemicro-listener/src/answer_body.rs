//! The body of an answer, with resources that are released when it is dropped.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};

/// A body and the resources it holds.
pub(crate) struct AnswerBody<B, H> {
    body: B,
    _held: H,
}

impl<B, H> AnswerBody<B, H> {
    /// A body that keeps `held` until it is dropped.
    pub(crate) fn new(body: B, held: H) -> Self {
        Self { body, _held: held }
    }
}

impl<B: Body + Unpin, H: Unpin> Body for AnswerBody<B, H> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
