//! Working folders of tasks. They must be inside the folder of the batch, judged by the path only.

use std::path::{Component, Path, PathBuf};

use super::parameters::ParameterError;

/// Resolves a task's folder: relative to that of the batch, or an absolute path inside it.
pub(super) fn inside(directory: &str, given: Option<&str>, place: &str) -> Result<String, ParameterError> {
    let Some(given) = given else {
        return Ok(directory.to_owned());
    };
    let whole = Path::new(directory).join(given);
    let climbs = whole.components().any(|part| part == Component::ParentDir);
    if climbs || !whole.starts_with(directory) {
        let message = format!("`{given}` is not inside {directory}, the folder of this batch");
        return Err(ParameterError::new(place, message));
    }
    // Drops `.` and doubled separators.
    let plain: PathBuf = whole.components().collect();
    Ok(plain.to_string_lossy().into_owned())
}
