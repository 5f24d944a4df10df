//! What a part of the setup did.

/// When the thing was installed.
pub(super) enum InstalledPrograms {
    /// It was there.
    Before,
    /// It was not, and is now.
    Now,
}
