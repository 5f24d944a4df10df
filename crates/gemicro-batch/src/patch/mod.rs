//! Patches: changes that a model proposes, parsed from its answer, checked and applied to texts.
//!
//! [`Patch::from_answer`] finds whole files, search-and-replace blocks or a unified diff, and refuses dangerous
//! changes; [`Patch::apply`] returns the new texts, or reports which line does not fit; [`unified_diff`] writes a
//! diff for `git apply`; [`tests_only`] checks that only tests are touched. Nothing here reads or writes a file.

mod answer;
mod apply;
mod change;
mod error;
mod file_name;
mod glob;
mod headers;
mod hunks;
mod lines;
mod path;
mod read;
mod replace;
mod search;
mod strip;
mod test_items;
mod test_path;
mod tests_only;
mod unified_diff;
mod whole;

pub use apply::NewText;
pub use change::{FilePatch, Hunk, HunkLine, Patch, PatchChange};
pub use error::{PatchError, RefusedChange};
pub(crate) use glob::matches;
pub use path::{MAX_PATH_BYTES, PathError, check_path};
pub use read::{MAX_FILES, MAX_PATCH_BYTES};
pub use strip::{test_lines, without_tests};
pub use test_path::{PathRole, role_of};
pub use tests_only::{NotATest, tests_only};
pub use unified_diff::unified_diff;
