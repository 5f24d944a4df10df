//! Which texts an entry may have.

use gemicro_event::text::is_hidden;

use crate::error::MemoryError;

/// Maximum length of an entry, in characters.
pub(crate) const ENTRY_CHARS: usize = 2_000;
/// Maximum length of a lesson that an agent proposes, in characters.
pub const LESSON_CHARS: usize = 400;
/// Maximum number of lessons from one answer.
pub const MAX_LESSONS: usize = 5;

/// Checks the text of an entry: one line that survives being written to the file and read back.
///
/// # Errors
/// When it is empty, too long, or contains line breaks, hidden characters or HTML comments.
pub fn check_text(text: &str, most_chars: usize) -> Result<(), MemoryError> {
    let n_chars = text.chars().count();
    let why = if text.trim().is_empty() {
        "is empty".to_owned()
    } else if n_chars > most_chars {
        format!("has {n_chars} characters, but at most {most_chars} are allowed")
    } else if text.chars().any(is_hidden) {
        "contains line breaks or invisible characters: write it on one line, in visible characters".to_owned()
    } else if text.contains("<!--") || text.contains("-->") {
        "contains an HTML comment mark (`<!--` or `-->`), which the file uses for ids: leave it out"
            .to_owned()
    } else {
        return Ok(());
    };
    Err(MemoryError::Text { why })
}

/// The lessons of an agent that are allowed, without duplicates, at most [`MAX_LESSONS`].
#[must_use]
pub fn clean_lessons(lessons: &[&str]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for lesson in lessons {
        let lesson = lesson.trim();
        let is_new = kept.iter().all(|it| it != lesson);
        if is_new && check_text(lesson, LESSON_CHARS).is_ok() && kept.len() < MAX_LESSONS {
            kept.push(lesson.to_owned());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{LESSON_CHARS, MAX_LESSONS, check_text, clean_lessons};

    #[test]
    fn an_entry_is_one_visible_line() {
        assert!(check_text("Run `make test` 🙂.", 40).is_ok());
        let long = "x".repeat(41);
        for bad in [
            "",
            "  ",
            &long,
            "a\nb",
            "a\u{2028}b",
            "a\u{200b}b",
            "a <!-- b",
            "a --> b",
            "a\u{1b}[1m",
        ] {
            assert!(check_text(bad, 40).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn lessons_are_bounded() {
        let long = "x".repeat(LESSON_CHARS + 1);
        let given = ["a", " a ", &long, "b\nc", "d", "e", "f", "g", "h"];
        let kept = clean_lessons(&given);
        assert_eq!(kept, ["a", "d", "e", "f", "g"]);
        assert_eq!(kept.len(), MAX_LESSONS);
    }
}
