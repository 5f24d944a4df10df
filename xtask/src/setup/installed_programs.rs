//! What a part of the setup did.

/// When the thing was installed.
pub(super) enum InstalledPrograms {
    Before,
    /// It was not, and is now.
    Now,
}
