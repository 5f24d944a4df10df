//! A temporary folder that is removed when its owner is dropped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};

/// A fresh folder under the system's temporary folder, removed on drop.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates the folder; fails rather than reuse one.
    pub(crate) fn new() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(
            "gemicro-xtask-{}-{}-{count}",
            std::process::id(),
            since_epoch.as_nanos()
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // If this fails, the rest stays in the temporary folder; failing the checks for it would be worse.
        drop(std::fs::remove_dir_all(&self.0));
    }
}
