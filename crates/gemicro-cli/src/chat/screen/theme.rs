//! Styles, which only ever repeat what the words already say.

use ratatui::style::{Color, Modifier, Style};

/// How things are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    /// Colours are welcome; weight and slope are not colours.
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
