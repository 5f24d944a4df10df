//! gemicro-store.
