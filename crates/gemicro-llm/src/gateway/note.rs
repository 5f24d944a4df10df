//! What happens at the gateway, told to whoever listens. No note holds text of a prompt or an answer.

use std::fmt;
use std::sync::Arc;

use gemicro_event::{Charge, Timestamp, Usage};

use super::quota::ProviderQuota;
use super::ticket::RefusedRequest;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewayNote {
    /// The label of the grant.
    pub label: String,
    /// When the gateway noted it.
    pub at: Timestamp,
    /// What happened to the request.
    pub kind: NoteKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A request goes out.
    Started {
        /// Its number within the ticket.
        request: u32,
        /// The model it asks.
        model: String,
        /// What was reserved for it.
        reserved: Charge,
        /// The output limit that the gateway wrote in, where it did.
        lowered_to: Option<u64>,
    },
    /// A request ended and was charged.
    Settled {
        /// Its number.
        request: u32,
        /// What it used, where that was told.
        usage: Option<Usage>,
        /// What it was charged: the whole reservation where usage is unknown.
        charge: Charge,
    },
    /// A request was refused before it went out. After the first few of a ticket, notes thin out.
    Refused {
        /// The request that was refused, and why.
        refused: RefusedRequest,
        /// How many were refused by now.
        n_refused: u64,
    },
    /// The provider's limit is reached.
    Limited {
        /// Until when, as far as told.
        quota: ProviderQuota,
    },
    /// Upstream answered with an error, broke off or could not be reached.
    Upstream {
        /// The HTTP status, where there was one.
        status: Option<u16>,
        /// What went wrong, in our words.
        trouble: String,
    },
}

/// Who is told; called at once, from the task of the request: it must not block.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(GatewayNote) + Send + Sync>);

impl Observer {
    /// Calls this for each note.
    pub fn new(tell: impl Fn(GatewayNote) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(super) fn tell(&self, note: GatewayNote) {
        (self.0)(note);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}
