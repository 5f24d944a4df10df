//! Invisible characters: what they are.
//!
//! They hide text from a reader who trusts the screen, or change how the rest of a line is shown.

use gemicro_event::text::{is_hidden, is_line_end, is_turning};

/// Whether a character takes no room on a screen and only hides something.
pub(crate) fn is_unseen(c: char) -> bool {
    is_hidden(c) && !is_active(c)
}

/// Whether a terminal might do something else than print it.
pub(crate) fn is_active(c: char) -> bool {
    c.is_control() || is_line_end(c) || is_turning(c)
}
