//! Folders of tasks: inside the folder of the batch, by their names alone.

use std::path::{Component, Path, PathBuf};

use super::parameters::ParameterError;

/// The folder that a task names, relative to that of the batch or below it.
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
    // Without `.` and doubled separators.
    let plain: PathBuf = whole.components().collect();
    Ok(plain.to_string_lossy().into_owned())
}
