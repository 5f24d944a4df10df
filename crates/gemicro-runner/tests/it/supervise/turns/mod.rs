//! Turn after turn with a fake CLI that does what its prompt says.

mod between;
mod during;
mod fake;
