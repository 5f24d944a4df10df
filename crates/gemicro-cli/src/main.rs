//! The `gemicro` program.

fn main() {}
