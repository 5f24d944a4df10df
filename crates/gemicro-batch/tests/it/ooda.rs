//! The OODA loop, decided from journals.

mod attempts;
mod endings;
mod loop_in_hand;
mod person;
mod resumed;
mod rounds;
#[cfg(target_os = "linux")]
mod trials;
