//! A client for the batch routes: does over HTTP what `gemicro batch` does locally.
//!
//! [`BatchClient`] returns the same types and the same [`Failure`](gemicro_event::Failure)s as
//! [`Batches`](gemicro_engine::Batches).

mod answer;
mod batch_client;

pub use batch_client::BatchClient;
