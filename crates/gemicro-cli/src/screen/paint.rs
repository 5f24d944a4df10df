//! Colours. They never carry information that the text itself lacks.

/// Adds colours, or returns text unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    pub(crate) is_on: bool,
}

impl Paint {
    /// With colours or without.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.is_on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
