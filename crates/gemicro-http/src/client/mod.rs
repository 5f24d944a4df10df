//! The other side of the API, for batches: what `gemicro batch` does over a desk, done over HTTP.
//!
//! [`BatchClient`] answers with the same types and the same [`Failure`](gemicro_event::Failure)s as
//! [`Batches`](gemicro_engine::Batches).

mod answer;
mod batch_client;

pub use batch_client::BatchClient;
