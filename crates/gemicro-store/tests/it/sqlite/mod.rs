//! What is SQLite's own: files, modes, damage, processes, upkeep.

mod blobs;
mod damage;
mod dead_letters;
mod erase;
mod full_disk;
mod modes;
mod processes;
mod rebuild;

pub(crate) use processes::{child, told};
