//! Recognises names that some file system treats as `.git`.

use gemicro_event::text::is_invisible;

/// Whether a name means `.git` on some file system. Some ignore letter case, dots and spaces at the end, the text after
/// a colon, or invisible characters; `git~1` is its short name on Windows.
#[must_use]
pub fn is_git_folder(name: &str) -> bool {
    let visible: String = name.chars().filter(|c| !is_invisible(*c)).collect();
    let name = visible.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    [".git", "git~1"].iter().any(|git| name.eq_ignore_ascii_case(git))
}

#[cfg(test)]
mod tests {
    use super::is_git_folder;

    #[test]
    fn every_spelling_counts() {
        for name in [
            ".git",
            ".GIT",
            ".git.",
            ".git . ",
            "git~1",
            "GIT~1",
            ".git::$INDEX",
            ".git. :x",
            ".g\u{200c}it",
            ".g\u{ad}it",
        ] {
            assert!(is_git_folder(name), "{name:?}");
        }
        for name in ["git", ".gitignore", ".github", ".git x", "a.git", "git~2", ""] {
            assert!(!is_git_folder(name), "{name:?}");
        }
    }
}
