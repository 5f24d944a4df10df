//! Carries an answer from upstream to the client, piece by piece as it comes, and settles at its end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use reqwest::Response;
use tokio::sync::mpsc::{Sender, channel};

use super::account::GrantAccount;
use super::note::NoteKind;
use super::problem::{ReplyBody, TruncatedAnswer};
use super::reader::AnswerReader;
use super::reservation::Reservation;
use crate::http::root_cause;

/// Pieces on their way to a client that does not take them yet; upstream waits then.
const PIECES: usize = 4;

/// How a compressed body begins. Neither usage nor the key can be seen in one.
pub(super) const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// What the client's end is told.
enum PumpPiece {
    Data(Bytes),
    /// That was all. Without it, the answer is seen to be cut, also by a client that takes nothing.
    End,
}

pub(super) struct CarriedAnswer {
    pub(super) step: Arc<GrantAccount>,
    pub(super) response: Response,
    /// What reads its usage, with what is held for it; nothing for what is free.
    pub(super) paid: Option<(AnswerReader, Reservation)>,
    pub(super) idle_time: Duration,
}

enum PumpEnd {
    Whole,
    /// Upstream broke off or fell silent.
    Cut(String),
    /// The client left, or the ticket was closed.
    Left,
}

/// Starts to carry; what comes back is the client's end.
pub(super) fn start(carried: CarriedAnswer) -> ReplyBody {
    let (tx, rx) = channel(PIECES);
    tokio::spawn(carry(carried, tx));
    let pieces = stream::unfold(Some(rx), |rx| async move {
        let mut rx = rx?;
        match rx.recv().await {
            Some(PumpPiece::Data(bytes)) => Some((Ok(Frame::data(bytes)), Some(rx))),
            Some(PumpPiece::End) => None,
            None => Some((Err(TruncatedAnswer), None)),
        }
    });
    BodyExt::boxed_unsync(StreamBody::new(pieces))
}

async fn carry(mut carried: CarriedAnswer, tx: Sender<PumpPiece>) {
    let ended = pieces(&mut carried, &tx).await;
    let CarriedAnswer { step, paid, .. } = carried;
    if let Some((mut reader, reservation)) = paid {
        match reader.result(matches!(ended, PumpEnd::Whole)) {
            Some(reported) => reservation.settle(reported),
            // Nobody knows: all of it.
            None => drop(reservation),
        }
    }
    match ended {
        // Told after settling: who has read the end finds it in the account.
        PumpEnd::Whole => {
            send(&step, &tx, PumpPiece::End).await;
        }
        PumpEnd::Cut(trouble) => step.note(NoteKind::Upstream {
            status: None,
            trouble,
        }),
        PumpEnd::Left => {}
    }
}

async fn pieces(carried: &mut CarriedAnswer, tx: &Sender<PumpPiece>) -> PumpEnd {
    let step = Arc::clone(&carried.step);
    let mut masked = step.mask.stream();
    let mut begun = Vec::new();
    loop {
        let next = tokio::time::timeout(carried.idle_time, carried.response.chunk());
        let next = tokio::select! {
            biased;
            () = step.closed.cancelled() => return PumpEnd::Left,
            () = tx.closed() => return PumpEnd::Left,
            next = next => next,
        };
        let piece = match next {
            Ok(Ok(Some(piece))) => {
                step.note_bytes(piece.len());
                let n_missing = GZIP.len().saturating_sub(begun.len()).min(piece.len());
                begun.extend_from_slice(&piece[..n_missing]);
                if begun == GZIP {
                    return PumpEnd::Cut(
                        "the model API compressed its answer although gemicro asked it not to".to_owned(),
                    );
                }
                if let Some((reader, _)) = &mut carried.paid {
                    reader.feed(&piece);
                }
                masked.push(piece)
            }
            Ok(Ok(None)) => {
                let rest = masked.finish();
                return if rest.is_empty() || send(&step, tx, PumpPiece::Data(rest)).await {
                    PumpEnd::Whole
                } else {
                    PumpEnd::Left
                };
            }
            Ok(Err(error)) => {
                let why = step.mask.text(&root_cause(&error));
                return PumpEnd::Cut(format!("the answer broke off: {why}"));
            }
            Err(_) => {
                let seconds = carried.idle_time.as_secs_f64();
                return PumpEnd::Cut(format!("the answer was silent for {seconds} s"));
            }
        };
        if !piece.is_empty() && !send(&step, tx, PumpPiece::Data(piece)).await {
            return PumpEnd::Left;
        }
    }
}

/// Whether the client is still there.
async fn send(step: &GrantAccount, tx: &Sender<PumpPiece>, piece: PumpPiece) -> bool {
    tokio::select! {
        biased;
        () = step.closed.cancelled() => false,
        sent = tx.send(piece) => sent.is_ok(),
    }
}
