//! Model APIs behind the port of `gemicro-core`.
