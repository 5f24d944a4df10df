//! What is SQLite's own: files, modes, damage, processes, upkeep.

mod blobs;
mod damage;
mod dead_letters;
mod erase;
mod flips;
mod full_disk;
mod modes;
mod processes;
mod rebuild;
mod removed;

pub(crate) use processes::{child, child_arguments};
