//! References to the outputs of other tasks: `${task_id.output.x}`.
//!
//! [`ReferenceTemplate`] parses one string, [`references_in`] finds all references in a JSON value, and [`resolve`]
//! inserts the outputs. Inserted text is never parsed again: an output that contains `${…}` stays unchanged.
//!
//! | text | meaning |
//! |---|---|
//! | `${a.output}` | the whole output of task `a` |
//! | `${a.output.files[0].name}`, `${a.output.files.0.name}` | a value inside it |
//! | `$${` | the two characters `${` |
//! | every other `${…}` | itself, so that shell variables need no escaping |
//!
//! A string that is exactly one reference becomes the value itself; inside a longer string a value becomes text.

mod resolve;
mod template;

pub(crate) use resolve::may_refer;
pub use resolve::{MissingOutput, ResolveError, ResolvedParameters, references_in, resolve};
pub use template::{PathPart, Reference, ReferenceTemplate, TemplatePiece, is_task_id};
