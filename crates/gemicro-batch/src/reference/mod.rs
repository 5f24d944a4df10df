//! References to the outputs of other tasks: `${task_id.output.x}`.
//!
//! [`ReferenceTemplate`] reads one string, [`references_in`] finds all references of a JSON value, and [`resolve`] puts the
//! outputs in. What was put in is never read again: an output that holds `${…}` stays as it is.
//!
//! | text | meaning |
//! |---|---|
//! | `${a.output}` | the whole output of task `a` |
//! | `${a.output.files[0].name}`, `${a.output.files.0.name}` | a value inside it |
//! | `$${` | the two characters `${` |
//! | every other `${…}` | itself, so that shell variables need no care |
//!
//! A string that is exactly one reference becomes the value itself; inside a longer string a value becomes text.

mod resolve;
mod template;

pub(crate) use resolve::may_refer;
pub use resolve::{MissingOutput, ResolveError, ResolvedParameters, references_in, resolve};
pub use template::{PathPart, Reference, ReferenceTemplate, TemplatePiece, is_task_id};
