//! The result of an installation step.

/// When the programs were installed.
pub(super) enum InstalledPrograms {
    Before,
    /// They were missing, and were installed now.
    Now,
}
