//! What is SQLite's own: files, modes, damage, processes, upkeep.

mod blobs;
mod damage;
mod dead_letters;
mod erase;
mod full_disk;
mod lists;
mod modes;
mod processes;
mod rebuild;
mod subscribe;
