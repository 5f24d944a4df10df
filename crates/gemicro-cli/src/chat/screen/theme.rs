//! Text styles. They never carry information that the text itself lacks.

use ratatui::style::{Color, Modifier, Style};

/// How different kinds of text look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    /// Whether colours are used; bold and italics do not count as colours.
    pub(super) has_colour: bool,
}

impl Theme {
    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    /// A heading, a message of the user.
    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn good(self) -> Style {
        self.colour(Color::Green)
    }

    pub(super) fn warn(self) -> Style {
        self.colour(Color::Yellow)
    }

    pub(super) fn bad(self) -> Style {
        self.colour(Color::Red)
    }

    pub(super) fn code(self) -> Style {
        self.colour(Color::Cyan)
    }

    fn colour(self, colour: Color) -> Style {
        if self.has_colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }
}
